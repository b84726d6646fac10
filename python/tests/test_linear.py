"""Equilibria, linearisations and Hessians: closed forms, the command's numbers to the bit, what is refused."""

import gc
import json
import os
import subprocess
import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"
COMMAND = os.environ["MBSENS_COMMAND"]

# a mass on a spring and a damper, pushed by an input
OSCILLATOR = """
mbsens: 1
name: oscillator
parameters: {m: 2, k: 7, c: 0.3, g: 9.81}
inputs: {F: 0}
coordinates: {x: {inertia: m}}
initial: {independent: [{coordinate: x, value: 1, velocity: 0}]}
forces: [{coordinate_force: x, value: F - k*x - c*rate - m*g}]
outputs: {place: x, load: k*x}
objectives: {sag: {equilibrium: x}, stretch: {equilibrium: k*x}, x: {final: x}}
simulation: {end: 1.3, step: 0.01, formulation: index1, integrator: dormand-prince-8}
"""
m, k, c, g = 2, 7, 0.3, 9.81


def oscillator():
    return mbsens.Model.from_text(OSCILLATOR, "oscillator.yaml")


def command(*words):
    told = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


class TestEquilibrium(unittest.TestCase):
    def test_closed_form(self):
        result = oscillator().equilibrium(["sag", "stretch"], ["m", "k"])
        np.testing.assert_allclose(result.values, [-m * g / k, -m * g], rtol=1e-13)
        np.testing.assert_allclose(result.gradient, [[-g / k, m * g / k**2], [-g, 0]], rtol=1e-12, atol=1e-13)
        told = result.equilibrium
        self.assertTrue(told.is_stable and not told.is_steady and told.held == ())
        self.assertLess(told.residual, 1e-12)
        root = np.sqrt(k / m - (c / 2 / m) ** 2)
        np.testing.assert_allclose(sorted(told.eigenvalues.imag), [-root, root], rtol=1e-12)
        np.testing.assert_allclose(told.matrix, [[0, 1], [-k / m, -c / m]], rtol=1e-12)
        adjoint = oscillator().equilibrium(["sag", "stretch"], ["m", "k"], method="adjoint")
        np.testing.assert_allclose(adjoint.gradient, result.gradient, rtol=1e-12, atol=1e-12)
        self.assertIsNone(oscillator().equilibrium("sag", method="none").gradient)

    def test_of_the_command(self):
        told = command("equilibrium", MODELS.parent / "tests/models/iltis_at_rest.yaml", "--json", "--wrt", "load")
        model = mbsens.Model.from_file(MODELS.parent / "tests/models/iltis_at_rest.yaml")
        result = model.equilibrium(list(told["objectives"]), "load")
        for name, numbers in told["objectives"].items():
            self.assertEqual(result[name], numbers["value"])
            self.assertEqual(result[name, "load"], numbers["gradient"]["load"])
        self.assertEqual(result.equilibrium.is_stable, told["stable"])
        self.assertEqual(len(result.equilibrium.held), 3)

    def test_upright(self):
        text = (MODELS / "pendulum.yaml").read_text()
        self.assertIsNone(mbsens.Model.from_text(text).simulate(end=0.01).equilibrium)
        upright = mbsens.Model.from_text(
            "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\nbodies: {bar: {mass: 1, com: [1, 0], inertia: 0, "
            "points: {O: [0, 0], P: [1, 0]}}}\njoints: [{revolute: [ground.O, bar.O]}]\n"
            "initial: {independent: [{coordinate: angle(bar), value: pi/2}]}\nobjectives: {y: {equilibrium: r(P).y}}\n")
        told = upright.equilibrium(method="none")
        self.assertFalse(told.equilibrium.is_stable)
        self.assertAlmostEqual(told["y"], 1, delta=1e-12)
        np.testing.assert_allclose(sorted(told.equilibrium.eigenvalues.real), [-np.sqrt(9.81), np.sqrt(9.81)], rtol=1e-9)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(mbsens.InputError, '"x" is of a run'):
            oscillator().equilibrium("x")
        with self.assertRaisesRegex(mbsens.NotOfferedError, "not offered"):
            oscillator().equilibrium("sag", method="adjoint-continuous")
        falling = mbsens.Model.from_file(MODELS / "rod_drop.yaml")
        with self.assertRaisesRegex(mbsens.NumericalError, "goes on moving"):
            falling.equilibrium(method="none")


class TestLinearization(unittest.TestCase):
    def test_closed_form(self):
        linear = oscillator().linearize(wrt=["k", "c"])
        self.assertEqual((linear.states, linear.inputs, linear.outputs), (("x", "x'"), ("F",), ("place", "load")))
        np.testing.assert_allclose(linear.A, [[0, 1], [-k / m, -c / m]], rtol=1e-14)
        np.testing.assert_allclose(linear.B, [[0], [1 / m]], rtol=1e-14)
        np.testing.assert_allclose(linear.C, [[1, 0], [k, 0]], rtol=1e-14)
        np.testing.assert_array_equal(linear.D, np.zeros((2, 1)))
        np.testing.assert_allclose(linear.A_gradient, [[[0, 0], [-1 / m, 0]], [[0, 0], [0, -1 / m]]], atol=1e-14)
        w = linear.eigenvalues
        np.testing.assert_allclose(m * w**2 + c * w + k, 0, atol=1e-12)
        # m w^2 + c w + k = 0 differentiated
        np.testing.assert_allclose(linear.eigenvalue_gradient, np.stack([-1 / (2 * m * w + c), -w / (2 * m * w + c)], 1),
                                   rtol=1e-12)
        self.assertAlmostEqual(linear.modes[0].frequency, np.sqrt(k / m) / 2 / np.pi, delta=1e-13)
        self.assertAlmostEqual(linear.modes[0].damping, c / 2 / np.sqrt(k * m), delta=1e-13)
        at = np.array([0.5, 1.7, 30])
        np.testing.assert_allclose(linear.response(at)[:, 0, 0], 1 / (k - m * at**2 + 1j * c * at), rtol=1e-12)
        self.assertEqual(linear.response([]).shape, (0, 2, 1))
        self.assertIsNone(oscillator().linearize(gradients=False).A_gradient)
        by_k = oscillator().linearize(inputs="k", wrt="m", gradients=False)
        np.testing.assert_allclose(by_k.B, [[0], [-1 / m]], rtol=1e-14)  # x = 1 there
        try:
            from scipy.signal import StateSpace
        except ImportError:
            return
        self.assertIsInstance(linear.to_scipy(), StateSpace)
        np.testing.assert_array_equal(linear.to_scipy().A, linear.A)

    def test_of_the_command(self):
        told = command("linearize", MODELS / "bicycle.yaml", "--wrt", "v,w,c", "--json")
        linear = mbsens.Model.from_file(MODELS / "bicycle.yaml").linearize(wrt=["v", "w", "c"])
        np.testing.assert_array_equal(linear.A, told["A"])
        self.assertEqual(linear.states, tuple(told["states"]))
        self.assertEqual(linear.parameters, {"v": 5, "w": 1.02, "c": 0.08})
        smooth = 0
        for mode, numbers in zip(linear.modes, told["eigenvalues"]):
            self.assertEqual(mode.eigenvalue, complex(numbers["real"], numbers["imag"]))
            if mode.gradient is None:
                self.assertTrue(mode.is_defective)
                continue
            smooth += 1
            for name, slope in zip("vwc", mode.gradient):
                by = numbers["gradient"][name]
                self.assertEqual(slope, complex(by["real"], by["imag"]))
        self.assertGreaterEqual(smooth, 4)
        self.assertEqual(np.isnan(linear.eigenvalue_gradient).any(axis=1).sum(), len(linear.modes) - smooth)
        self.assertAlmostEqual(sum(linear.modes[-1].participation.values()), 1, delta=1e-12)
        self.assertEqual(linear.modes[0].shape_gradient is None, linear.modes[0].gradient is None)

    def test_along_a_run(self):
        model = mbsens.Model.from_file(MODELS / "five_bar.yaml")
        linear = model.linearize(time=0.5, gradients=False)
        self.assertEqual((linear.time, linear.is_moving), (0.5, True))
        del model
        gc.collect()
        self.assertEqual(len(linear.modes), 4)  # it lives by itself

    def test_what_is_refused(self):
        model = oscillator()
        for options, what in [({"wrt": "q"}, 'no parameter "q"|"q"'), ({"time": -1}, "time"), ({"time": np.nan}, "time"),
                              ({"inputs": ["nothing"]}, "nothing"), ({"inputs": []}, "empty"),
                              ({"coordinates": "zz"}, "zz"), ({"nonsense": 1}, "nonsense"), ({"time": [1, 2]}, "shape")]:
            with self.assertRaisesRegex(mbsens.Error, what):
                model.linearize(**options)
        with self.assertRaisesRegex(mbsens.UsageError, "inputs and outputs"):
            mbsens.Model.from_file(MODELS / "pendulum.yaml").linearize(gradients=False).response([1])
        undamped = mbsens.Model.from_text(OSCILLATOR.replace("c: 0.3", "c: 0").replace("k: 7", "k: 8"))
        with self.assertRaisesRegex(mbsens.NumericalError, "eigenvalue"):
            undamped.linearize(gradients=False).response([2.0])
        model.close()  # nothing holds it


class TestHessian(unittest.TestCase):
    def test_closed_form(self):
        text = OSCILLATOR.replace("c: 0.3", "c: 0").replace("g: 9.81", "g: 0")
        hessian = mbsens.Model.from_text(text).hessian("x", ["k", "m"])
        T = 1.3
        w = np.sqrt(k / m)
        cosine, sine, u = np.cos(w * T), np.sin(w * T), np.array([w * T / 2 / k, -w * T / 2 / m])
        uu = w * T / 4 * np.array([[-1 / k**2, -1 / k / m], [-1 / k / m, 3 / m**2]])
        np.testing.assert_allclose(hessian.values, [cosine], rtol=1e-12)
        np.testing.assert_allclose(hessian.gradient, [-sine * u], rtol=1e-10)
        np.testing.assert_allclose(hessian["x"], -sine * uu - cosine * np.outer(u, u), rtol=1e-9)
        along = mbsens.Model.from_text(text).hessian("x", ["k", "m"], directions=[0.5, -2])
        self.assertEqual(along.products.shape, (1, 1, 2))
        np.testing.assert_allclose(along["x"][0], hessian["x"] @ [0.5, -2], rtol=1e-12)

    def test_through_impacts(self):
        hessian = mbsens.Model.from_file(MODELS / "bouncing_ball.yaml").hessian(end=1)
        self.assertGreater(np.abs(hessian.products).max(), 0)
        for matrix in hessian.products:
            np.testing.assert_allclose(matrix, matrix.T, atol=1e-11 * max(1, np.abs(matrix).max()))

    def test_what_is_refused(self):
        model = oscillator()
        for directions, what in [([1, 2, 3], "shape"), ([[np.nan, 1]], "not a finite number"), ("k", "real numbers")]:
            with self.assertRaisesRegex(mbsens.Error, what):
                model.hessian("x", ["k", "m"], directions=directions)
        with self.assertRaises(KeyError):
            model.hessian("x", "k", end=0.1)["y"]


if __name__ == "__main__":
    unittest.main()
