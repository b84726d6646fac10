"""Optima, sweeps, equilibria along a parameter; studies and reports by the command."""

import os
import tempfile
import threading
import unittest
from pathlib import Path

import mbsens
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"


class TestOptimize(unittest.TestCase):
    def setUp(self):
        self.model = mbsens.Model.from_file(MODELS / "five_bar.yaml")

    def test_balance(self):
        told = []
        before = self.model.to_yaml()
        found = self.model.optimize("psi1", ["Ls1", "Ls2"], end=1, on_iterate=told.append)
        self.assertTrue(found.success, found.message)
        self.assertLess(found.value, 1e-10)
        self.assertAlmostEqual(found.parameters["Ls1"], 2.43192, places=5)
        self.assertAlmostEqual(found.parameters["Ls2"], 1.84487, places=5)
        self.assertEqual(found.start["Ls1"], self.model.parameters["Ls1"])
        self.assertEqual(found.objectives["psi1"].value, found.value)
        self.assertGreater(len(told), 2)
        self.assertEqual(told[-1].parameters, found.parameters)
        self.assertEqual(self.model.to_yaml(), before)
        self.model.parameters.update(found.parameters)  # in use by nobody any more
        self.assertEqual(self.model.gradient("psi1", "Ls1", end=1)["psi1"], found.value)

    def test_bounds_and_constraints(self):
        found = self.model.optimize("psi1", ["Ls1", "Ls2"], end=1, bounds={"Ls1": (2.0, 2.3), "Ls2": (None, 3)},
                                    search={"algorithm": "slsqp"})
        self.assertEqual(found.parameters["Ls1"], 2.3)
        h = 1e-4  # what the bound is worth: the model optimised anew with another one
        moved = [self.model.optimize("psi1", ["Ls1", "Ls2"], end=1, bounds={"Ls1": (2.0, 2.3 + s)},
                                     search={"algorithm": "slsqp"}).value for s in (-h, h)]
        self.assertAlmostEqual(found.multipliers["Ls1"], (moved[1] - moved[0]) / (2 * h), places=5)
        kept = self.model.optimize("psi1", ["Ls1", "Ls2"], end=1, constraints=[{"objective": "psi2", "above": 1.2}])
        self.assertTrue(kept.constraints[0].is_active)
        self.assertAlmostEqual(kept.objectives["psi2"].value, 1.2, places=7)

    def test_refused(self):
        for words, options in (("lower, upper", {"bounds": {"Ls1": 3}}), ("mapping", {"bounds": [1]}),
                               ("mapping", {"constraints": [1]}), ("nope", {"constraints": [{"objective": "nope", "below": 1}]}),
                               ("algorithm", {"search": {"algorithm": "x"}}), ("function", {"on_iterate": 3}),
                               ("method", {"method": "x"})):
            with self.assertRaises(mbsens.Error) as caught:
                self.model.optimize("psi1", ["Ls1"], end=0.1, **options)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(ZeroDivisionError):
            self.model.optimize("psi1", ["Ls1"], end=0.1, on_iterate=lambda iterate: 1 / 0)
        stopped = self.model.optimize("psi1", ["Ls1", "Ls2"], end=0.1, on_iterate=lambda iterate: False)
        self.assertTrue(stopped.is_interrupted)


class TestSweep(unittest.TestCase):
    def setUp(self):
        self.model = mbsens.Model.from_file(MODELS / "five_bar.yaml")
        self.samples = {"mA1": np.linspace(0.9, 1.1, 9), "Ls1": np.linspace(2.2, 2.3, 9)}

    def test_threads(self):
        one, two = (self.model.sweep(self.samples, "psi1", ["Ls1", "mA1"], end=0.3, threads=n) for n in (1, 2))
        self.assertEqual(one.values.tobytes(), two.values.tobytes())
        self.assertEqual(one.gradient.tobytes(), two.gradient.tobytes())
        self.assertEqual(one.gradient.shape, (9, 1, 2))
        alone = self.model.copy()
        alone.parameters.update({name: values[5] for name, values in self.samples.items()})
        self.assertEqual(alone.gradient("psi1", ["Ls1", "mA1"], end=0.3).gradient.tobytes(), one.gradient[5].tobytes())
        self.assertIsNone(self.model.sweep(self.samples, "psi1", method=None, end=0.1).gradient)

    def test_failures(self):
        swept = self.model.sweep({"LA1": [1.4, 40, 1.42]}, "psi1", "LA1", end=0.1)
        self.assertEqual(list(swept.failures), [1])
        self.assertIn("cannot be assembled", swept.failures[1])
        self.assertTrue(np.isnan(swept.values[1]).all() and np.isnan(swept.gradient[1]).all())
        self.assertTrue(np.isfinite(swept.values[[0, 2]]).all())
        for samples, options in (({}, {}), ({"a": [1]}, {}), ({"mA1": [1], "Ls1": [1, 2]}, {}), ({"mA1": [[1]]}, {}),
                                 ({"mA1": [1]}, {"threads": 0}), ({"mA1": [np.nan]}, {})):
            with self.assertRaises(mbsens.Error):
                self.model.sweep(samples, "psi1", end=0.1, **options)
        self.model.close()  # nothing holds it

    def test_stop(self):
        stopped = self.model.sweep(self.samples, "psi1", end=0.1, progress=lambda part: part < 0.4)
        self.assertEqual(int(np.isfinite(stopped.values).sum()), 4)


class TestEquilibria(unittest.TestCase):
    def test_along(self):
        model = mbsens.Model.from_text("""
            mbsens: 1
            gravity: [0, -9.81]
            parameters: {m: 2, k: 400, F: 0}
            ground: {points: {O: [0, 0]}}
            bodies: {b: {mass: m, inertia: 1, points: {P: [0, 0]}}}
            joints: [{prismatic: [ground.O, b.P], name: guide, axis: [0, 1]}]
            forces: [{coordinate_force: slide(guide), value: F - k*value}]
            objectives: {y: {equilibrium: r(P).y}}
            """)
        loads = np.linspace(0, 100, 5)
        along = model.equilibria("F", loads, wrt=["k", "F"])
        y = (loads - 2 * 9.81) / 400
        np.testing.assert_allclose(along.values[:, 0], y, atol=1e-14)
        np.testing.assert_allclose(along.gradient[:, 0, 0], -y / 400, atol=1e-15)
        np.testing.assert_allclose(along.gradient[:, 0, 1], 1 / 400, rtol=1e-12)
        self.assertTrue(along.is_complete and along.is_stable.all() and len(along) == 5)
        point = along.points[3]
        del along
        self.assertAlmostEqual(point["y"], y[3])  # lives as long as it is needed
        with self.assertRaises(mbsens.Error):
            model.equilibria("nobody", loads)
        with self.assertRaises(mbsens.Error):
            model.equilibria("F", [np.nan])

    def test_trim(self):
        turn = mbsens.Model.from_file(ROOT / "tests" / "models" / "steady_turn.yaml")
        solved = turn.equilibrium(wrt=["v"]).equilibrium.solved
        self.assertAlmostEqual(solved["steer"], 0.07140275236, places=10)
        self.assertAlmostEqual(solved["drive"], 417.092352, places=5)

    def test_calls(self):
        built = mbsens.Model("spring")
        built.add_parameters(F=3, k=20, x=0.1)
        built.add_ground_points(O=[0, 0])
        built.add_body("b", mass=1, inertia=1, points={"P": [0, 0]})
        built.add_prismatic_joint(["ground.O", "b.P"], name="rail", axis=[1, 0])
        built.add_coordinate_force("slide(rail)", value="F - k*value")
        built.set_equilibrium(solve="F")
        built.add_trim_condition(expression="r(P).x", value="x")
        built.set_initial(equilibrium=True)
        self.assertAlmostEqual(built.equilibrium().equilibrium.solved["F"], 2)


class TestUse(unittest.TestCase):
    def test_threads(self):  # runs of one model come and go in several threads, and then nothing holds it
        model = mbsens.Model.from_file(MODELS / "pendulum.yaml")

        def run():
            for _ in range(50):
                model.simulate(end=0.01)

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        model.close()


@unittest.skipUnless(os.access(os.environ.get("MBSENS_COMMAND", ""), os.X_OK), "no command")
class TestCommand(unittest.TestCase):
    def setUp(self):
        self.model = mbsens.Model.from_file(MODELS / "pendulum.yaml")

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            report = self.model.report(path, end=0.2, wrt=["d"])
            self.assertEqual(path.read_text(encoding="utf-8"), report.html)
        self.assertIn("pendulum", report.html)
        self.assertIn("<iframe srcdoc=", report._repr_html_())
        self.assertNotIn("<script", report._repr_html_())  # of the page around it
        with self.assertRaises(mbsens.InputError) as caught:
            self.model.report(end="x")
        self.assertIn("--end", str(caught.exception))

    def test_study(self):
        runs = self.model.study({"formulation": ["ali3p", "index1"], "step": [0.02, 0.01]}, wrt="d", end=0.2)
        self.assertEqual(len(runs), 4)
        one = self.model.gradient("swing", "d", formulation="ali3p", step=0.02, end=0.2)
        self.assertEqual(runs[0]["objectives"]["swing"]["value"], one["swing"])
        self.assertEqual(runs[0]["objectives"]["swing"]["gradient"]["d"], one["swing", "d"])
        self.assertIn(mbsens.__version__, mbsens.command("--version"))


if __name__ == "__main__":
    unittest.main()
