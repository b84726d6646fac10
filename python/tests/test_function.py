"""Functions of Python in expressions: force laws with derivatives by complex step, or their own."""

import contextlib
import io
import unittest

import mbsens
import numpy as np

TEXT = """
mbsens: 1
parameters: {m: 2, k: 30, c: 0.4, x0: 0.6}
ground: {points: {O: [0, 0]}}
bodies: {cart: {mass: m, inertia: 1, points: {A: [0, 0]}}}
joints: [{prismatic: [ground.O, cart.A], name: rail, axis: [1, 0]}]
forces: [{coordinate_force: slide(rail), value: "%s"}]
initial: {independent: [{coordinate: slide(rail), value: x0, velocity: 0.1}]}
objectives: {end: {final: r(A).x}, work: {integral: v(A).x^2}}
simulation: {end: 0.5, step: 0.01}
"""
WRITTEN, CALLED = "-k*sin(value)*exp(value/3) - c*rate^3", "law(value, rate, k, c)"


def law(x, v, k, c):
    return -k * np.sin(x) * np.exp(x / 3) - c * v**3


def slopes(x, v, k, c):
    e = np.exp(x / 3)
    return [-k * e * (np.cos(x) + np.sin(x) / 3), -3 * c * v**2, -np.sin(x) * e, -(v**3)]


class TestFunction(unittest.TestCase):
    def test_gradients(self):
        written = mbsens.Model.from_text(TEXT % WRITTEN).gradient()
        for own in (None, slopes):
            model = mbsens.Model.from_text(TEXT % CALLED)
            model.set_function("law", law, own)
            model = model.copy()
            for method in ("direct", "adjoint", "complex-step"):
                found = model.gradient(method=method)
                np.testing.assert_allclose(found.values, written.values, rtol=1e-12)
                np.testing.assert_allclose(found.gradient, written.gradient, rtol=1e-9)
            self.assertGreater(np.abs(written.gradient).min(), 1e-3)
        wrong = mbsens.Model.from_text(TEXT % CALLED)
        wrong.set_function("law", law, lambda *x: 1.1 * np.array(slopes(*x)))
        self.assertGreater(np.abs(wrong.gradient().gradient - written.gradient).max(), 1e-3)  # its slopes are used

    def test_refused(self):
        model = mbsens.Model.from_text(TEXT % CALLED)
        for words, call in (("callable", lambda: model.set_function("law", 3)),
                            ("arguments=2", lambda: model.set_function("law", lambda *x: 0)),
                            ("sin", lambda: model.set_function("sin", law)),
                            ("1 to 3", lambda: model.set_function("law", law, results=4)),
                            ("law", model.simulate)):
            with self.assertRaises(mbsens.Error) as caught:
                call()
            self.assertIn(words, str(caught.exception))

        def broken(x, v, k, c):
            raise ZeroDivisionError("no law")

        model.set_function("law", broken)
        told = io.StringIO()
        with contextlib.redirect_stderr(told), self.assertRaises(mbsens.NumericalError):
            model.simulate()
        self.assertIn("no law", told.getvalue())


if __name__ == "__main__":
    unittest.main()
