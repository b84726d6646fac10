"""Steps as a function: their products against each other, against differences, and the run that they make together."""

import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"


class TestSteps(unittest.TestCase):
    def test_products(self):
        random = np.random.default_rng(6)
        for name, settings in (("five_bar", {"step": 0.01}), ("bouncing_ball", {"step": 0.05}),
                               ("five_bar", {"step": 0.01, "coordinates": "relative"})):
            model = mbsens.Model.from_file(MODELS / f"{name}.yaml")
            map = mbsens.StepMap(model, columns="outputs", **settings)
            simulation = model.simulation(method=None, **settings)
            simulation.start()
            start = simulation.state
            end = map.run(start.position, start.velocity, steps=15)
            n, p = len(map.coordinates), len(map.wrt)
            u = {"position": random.normal(size=n), "velocity": random.normal(size=n), "parameters": random.normal(size=p)}
            w = {"position": random.normal(size=n), "velocity": random.normal(size=n),
                 "objectives": random.normal(size=len(map.objectives))}
            change, received = map.jvp(**u), map.vjp(**w)
            forward = [w[key] @ getattr(change, key) for key in w]
            backward = [u[key] @ getattr(received, key) for key in u]
            scale = sum(np.abs(w[key]) @ np.abs(getattr(change, key)) for key in w)
            self.assertGreater(scale, 0.1)
            self.assertLess(abs(sum(forward) - sum(backward)), 1e-12 * scale)
            # velocities change freely here; positions must keep to the constraints
            eps = 1e-6
            if name == "bouncing_ball":
                ends = [map.run(start.position + s * eps * u["position"], start.velocity + s * eps * u["velocity"], steps=15)
                        for s in (1, -1)]
                map.run(start.position, start.velocity, steps=15)
                slope = map.jvp(u["position"], u["velocity"]).position
                np.testing.assert_allclose((ends[0].position - ends[1].position) / (2 * eps), slope, rtol=1e-6, atol=1e-6)
            self.assertIsNone(received.inputs)
            self.assertEqual(end.time, 15 * settings["step"])

    def test_the_whole_run(self):
        model = mbsens.Model.from_file(MODELS / "five_bar.yaml")
        map = mbsens.StepMap(model, wrt=["Ls1", "mA1"])
        end = map.run(steps=50)
        simulation = model.simulation(wrt=["Ls1", "mA1"], end=0.5)
        np.testing.assert_allclose(map.values(), simulation.run(), rtol=1e-13)
        np.testing.assert_allclose(map.vjp(objectives=[1, 0, 0]).parameters, simulation.gradient[0], rtol=1e-10)
        # a run keeps factors from step to step, a step by itself has none: the same but for rounding
        np.testing.assert_allclose(end.position, self.last(simulation), rtol=0, atol=1e-14)
        self.assertEqual(map.parameters, {"Ls1": np.sqrt(5), "mA1": 1.0})
        map.set_parameters([2.3, 1.0])
        np.testing.assert_allclose(map.run(steps=50) and map.values(), simulation.run([2.3, 1.0]), rtol=1e-13)

    @staticmethod
    def last(simulation):
        for _ in simulation.steps():
            pass
        return simulation.state.position

    def test_inputs(self):
        cart = mbsens.Model.from_text(
            "mbsens: 1\nparameters: {m: 2}\ninputs: {u: 0}\nbodies: {cart: {mass: m, points: {P: [0, 0]}}}\n"
            "forces: [{point_force: cart.P, value: [u, 0]}]\noutputs: {place: r(P).x}\nobjectives: {x: {final: r(P).x}}\n"
        )
        map = mbsens.StepMap(cart, step=0.5)
        end = map.run([0, 0], [1, 0], steps=2, inputs=[[4.0], [-2.0]])
        # u h / m and u h^2 / (2 m) of each step
        np.testing.assert_allclose(end.velocity[0], 1 + 0.5 * (4 - 2) / 2)
        np.testing.assert_allclose(end.position[0], 1 + 0.5**2 / 2 * (1.5 * 4 - 0.5 * 2))
        received = map.vjp(position=[1, 0])
        np.testing.assert_allclose(received.inputs, [[0.125 * 1.5], [0.125 * 0.5]])
        np.testing.assert_allclose(received.velocity, [1, 0], atol=1e-14)
        np.testing.assert_allclose(map.jvp(inputs=[[1], [0]]).outputs, [0.125 * 1.5])

    def test_trajectory(self):
        """Rows are ends of shorter runs; products with weights on all rows, through impacts."""
        random = np.random.default_rng(8)
        for name, formulation in (("bouncing_ball", "ali3p"), ("five_bar", "index1"), ("quarter_car", "matrix-r")):
            model = mbsens.Model.from_file(MODELS / f"{name}.yaml")
            map = mbsens.StepMap(model, formulation=formulation, step=0.01, columns="outputs")
            rows = map.trajectory(steps=80)
            self.assertEqual(rows.position.shape, (81, len(map.coordinates)))
            for i in (1, 33, 80):
                end = map.run(steps=i)
                self.assertEqual(rows.time[i], end.time)
                np.testing.assert_array_equal(rows.position[i], end.position)
                np.testing.assert_array_equal(rows.outputs[i], map.outputs())
            np.testing.assert_array_equal(rows.objectives, map.values())
            u = random.normal(size=len(map.wrt))
            change = map.trajectory_jvp(parameters=u)
            weights = {key: random.normal(size=getattr(rows, key).shape)
                       for key in ("position", "velocity", "acceleration", "outputs", "objectives")}
            received = map.trajectory_vjp(**weights).parameters
            forward = [np.sum(weights[key] * getattr(change, key)) for key in weights]
            scale = sum(np.sum(np.abs(weights[key] * getattr(change, key))) for key in weights)
            self.assertLess(abs(sum(forward) - u @ received), 1e-12 * scale)
            np.testing.assert_array_equal(change.position[-1], map.jvp(parameters=u).position)

    def test_refused(self):
        map = mbsens.StepMap(mbsens.Model.from_file(MODELS / "five_bar.yaml"), wrt="Ls1")
        state = map.run()
        for words, call in {
            "give both": lambda: map.run(state.position),
            "shape 6, got 2": lambda: map.run([1, 2], [1, 2]),
            "whole number": lambda: map.run(steps=0),
            "inputs": lambda: map.run(steps=2, inputs=[[1], [2]]),
            "without position": lambda: map.jvp(position=state.position),
            "shape 1, got 2": lambda: map.jvp(parameters=[1, 2]),
            "shape 2x6, got 6": lambda: map.trajectory_vjp(position=np.zeros(6)),
            "shape 6, got 2x6": lambda: map.vjp(position=np.zeros((2, 6))),
            "finite": lambda: map.run([np.nan] * 6, [0] * 6),
            "StepMap needs a Model": lambda: mbsens.StepMap(1),
        }.items():
            with self.assertRaises(mbsens.Error) as caught:
                call()
            self.assertIn(words, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
