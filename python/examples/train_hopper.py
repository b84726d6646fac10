# needs: scipy
"""A controller trained through impacts: a thruster that keeps a bouncing ball at the same height.

Each impact takes 28 % of the energy. The thrust is a small neural network of height and velocity, written as an
expression of 12 parameters of the model; the objective is how far the energy is from the one wanted, and what the thrust
costs. The adjoint gives the exact gradient by all of them at once, through every bounce.
"""

import mbsens
import numpy as np
from scipy.optimize import minimize

NEURONS = 3
WANTED = 9.81 * 1.5  # energy per mass of a ball that rises to 1.5 m


def build():
    model = mbsens.Model("hopper")
    model.set_gravity([0, -9.81])
    start = np.random.default_rng(5).normal(size=(NEURONS, 4))
    start[:, 3] = 0  # no thrust to begin with
    for k in range(NEURONS):
        for name, value in zip("abcw", start[k]):
            model.add_parameter(f"{name}{k}", value)
    model.add_parameter("h", 1.5)
    model.add_body("ball", mass=1, points={"P": [0, 0]}, position=[0, "h"])
    neurons = " + ".join(f"w{k}*tanh(a{k}*r(P).y + b{k}*v(P).y + c{k})" for k in range(NEURONS))
    model.add_output("thrust", f"10*({neurons})", unit="N")
    model.add_output("height", "r(P).y", unit="m")
    model.add_point_force("ball.P", value=[0, f"10*({neurons})"])
    model.add_event("floor", "r(P).y", direction="falling", restitution=0.85)
    energy = "0.5*v(P).y^2 + 9.81*r(P).y"
    model.add_objective("miss", integral=f"(({energy})/{WANTED} - 1)^2")
    model.add_objective("cost", integral=f"1e-4*(10*({neurons}))^2")
    model.add_objective("loss", value="miss + cost")
    model.set_simulation(end=4, step=0.01)
    return model


def rises(simulation, x):
    """The greatest height after each bounce."""
    simulation.run(x)
    bounces = [event.time for event in simulation.result().events if event.name == "floor"]
    t, height = simulation.history["t"], simulation.history["height"]
    return [height[(t > a) & (t < b)].max() for a, b in zip(bounces, bounces[1:])]


def main():
    model = build()
    weights = [name for name in model.parameters if name != "h"]
    simulation = model.simulation(method="adjoint", objectives="loss", wrt=weights, history=True, columns="outputs")
    loss = simulation.function("loss")
    before = loss(loss.x0)
    found = minimize(loss, loss.x0, jac=loss.jac, method="L-BFGS-B", options={"maxiter": 150})
    print(f"loss {before:.4f} -> {found.fun:.4f} in {loss.runs} runs")
    print("rises before:", np.round(rises(simulation, loss.x0), 2))
    print("rises after: ", np.round(rises(simulation, found.x), 2))

    # the gradient through all bounces, against differences of whole runs
    x = loss.x0 + 0.5 * (found.x - loss.x0)
    direction = np.random.default_rng(1).normal(size=len(x))
    eps = 1e-6
    slope = (loss(x + eps * direction) - loss(x - eps * direction)) / (2 * eps)
    print(f"slope along a direction: {loss.jac(x) @ direction:.9f}, by differences {slope:.9f}")
    assert abs(loss.jac(x) @ direction - slope) < 1e-6 * abs(slope)
    assert found.fun < 0.2 * before
    assert np.all(np.abs(np.array(rises(simulation, found.x)) - 1.5) < 0.3)


if __name__ == "__main__":
    main()
