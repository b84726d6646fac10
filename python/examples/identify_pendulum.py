# needs: scipy
"""A pendulum identified from a measurement: its moment of inertia, the friction of its bearing and where it was let go.

The measurement is the angle, 40 times a second for 4 s, with noise of 0.01 rad. It is made here with another integrator,
from the equation of a pendulum with numbers that the model does not know.
"""

import mbsens
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

MODEL = """
mbsens: 1
name: pendulum
gravity: [0, -9.81]
parameters: {I: 0.05, c: 0.0, phi0: 0.3}
ground: {points: {O: [0, 0]}}
bodies:
  bar: {mass: 2, com: [0.5, 0], inertia: I, points: {O: [0, 0]}, angle: phi0 - pi/2}
joints:
  - revolute: [ground.O, bar.O]
    name: bearing
forces:
  - {torque: bar, value: -c*omega(bar)}
outputs:
  phi: {value: angle(bar) + pi/2, unit: rad}
objectives: {end: {final: angle(bar)}}
simulation: {end: 4, step: 0.005, coordinates: relative}
"""
TRUE = {"I": 0.12, "c": 0.25, "phi0": 0.8}
NOISE = 0.01


def measure():
    """Times and angles, from (I + m d^2) phi'' = -m g d sin(phi) - c phi'."""
    m, g, d = 2, 9.81, 0.5

    def rate(t, state):
        return [state[1], -(m * g * d * np.sin(state[0]) + TRUE["c"] * state[1]) / (TRUE["I"] + m * d**2)]

    times = np.linspace(0, 4, 161)
    exact = solve_ivp(rate, (0, 4), [TRUE["phi0"], 0], t_eval=times, rtol=1e-10, atol=1e-12).y[0]
    return times, exact + NOISE * np.random.default_rng(3).normal(size=len(times))


def main():
    times, angles = measure()
    simulation = mbsens.Model.from_text(MODEL).simulation(history=True, columns="outputs", sample=0.025)

    def residuals(x):
        simulation.run(x)
        assert np.allclose(simulation.history["t"], times)
        return simulation.history["phi"] - angles

    def jacobian(x):
        simulation.run(x)
        return simulation.history.slopes("phi", simulation.wrt)

    found = least_squares(residuals, simulation.parameters.array, jac=jacobian, x_scale=[0.1, 0.1, 1])
    covariance = NOISE**2 * np.linalg.inv(found.jac.T @ found.jac)
    for name, value, deviation in zip(simulation.wrt, found.x, np.sqrt(np.diag(covariance))):
        print(f"{name:5} {value:8.5f} +- {deviation:.5f}   (true {TRUE[name]})")
        assert abs(value - TRUE[name]) < 4 * deviation < 0.05 * TRUE[name]
    print(f"{found.nfev} runs, residuals {np.std(found.fun):.4f} rad")
    assert abs(np.std(found.fun) - NOISE) < 0.2 * NOISE


if __name__ == "__main__":
    main()
