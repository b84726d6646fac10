"""Whatever comes in, there is a number or an exception of the package with one sentence, never a crash.

Run by itself it takes numbers: test_bad_input.py 20000 tries so many calls instead of 400.
"""

import math
import random
import sys
import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"
CALLS = 400
# what callers do wrong, besides
ALLOWED = (mbsens.Error, KeyError, TypeError)


class TestArrays(unittest.TestCase):
    def setUp(self):
        self.simulation = mbsens.Model.from_file(MODELS / "five_bar.yaml").simulation(wrt=["Ls1", "Ls2"], end=0.05)

    def refused(self, words, call, *arguments, **options):
        with self.assertRaises(mbsens.Error) as caught:
            call(*arguments, **options)
        self.assertIn(words, str(caught.exception))

    def test_parameters(self):
        run = self.simulation.run
        self.refused("shape 2, got 3", run, [1, 2, 3])
        self.refused("shape 2, got 1x2", run, [[1, 2]])
        self.refused("shape 2, got one number", run, 1.0)
        self.refused("real numbers, got complex", run, [1j, 2])
        self.refused("real numbers, got", run, ["1", "2"])
        self.refused("real numbers, got object", run, [None, 2])
        self.refused("real numbers, got bool", run, [True, False])
        self.refused("of one shape", run, [[1], [2, 3]])
        self.refused("finite", run, [math.nan, 2])
        self.refused("finite", run, [math.inf, 2])
        self.refused("inputs", run, [2, 2], inputs=[1])
        self.refused("hold", run, [2, 2], inputs=np.zeros((1, 0)))
        self.refused("hold", run, [2, 2], inputs=np.zeros((1, 0)), hold=-1)
        expected = run([2.2, 2.0]).tobytes()
        for good in (np.array([2.2, 2.0]), np.array([2.2, 2.0], order="F"), np.array([2.2, 0, 2.0, 0])[::2],
                     np.array([2.2, 2.0], dtype=">f8"), np.array([2.2, 2.0]).astype(np.longdouble)):
            self.assertEqual(run(good).tobytes(), expected)
        self.assertEqual(run(np.array([2, 2], dtype=np.int8)).shape, (3,))
        self.refused("shape 2", self.simulation.jvp, [1])
        self.refused("shape 3", self.simulation.vjp, [1])
        self.refused("shape 6", self.simulation.set_state, [1], [1])
        self.refused("shape 0, got 1", self.simulation.set_inputs, [1])
        self.refused("one number", self.simulation.parameters.__setitem__, "Ls1", [1, 2])
        self.refused("", self.simulation.parameters.__setitem__, "Ls", 1)

    def test_order(self):
        self.refused("", self.simulation.step)
        self.refused("", self.simulation.finish)
        self.refused("", self.simulation.outputs)
        self.simulation.start()
        self.refused("no histories", lambda: self.simulation.history)
        while not self.simulation.is_over:
            self.simulation.step()
        self.refused("", self.simulation.step)
        still = mbsens.Model.from_file(MODELS / "five_bar.yaml").simulation(method=None, end=0.05)
        self.refused("no gradient", still.jacobian)
        self.assertIsNone(still.gradient)

    def test_closed(self):
        self.simulation.close()
        self.simulation.close()
        for call in (self.simulation.run, self.simulation.start, self.simulation.save, self.simulation.result,
                     lambda: self.simulation.gradient, lambda: self.simulation.state, lambda: self.simulation.time,
                     lambda: self.simulation.parameters["Ls1"]):
            self.refused("closed", call)

    def test_results_live_on(self):
        result = self.simulation.model.gradient(end=0.05)
        self.simulation.close()
        self.simulation.model.close()
        self.assertEqual(result.gradient.shape, (3, 5))
        self.assertEqual(len(result.points), 3)


class TestFuzz(unittest.TestCase):
    """Calls with arguments that were drawn, in any order."""

    def test_calls(self):
        draw = random.Random(7)
        names = [name for name in dir(mbsens.Simulation) if not name.startswith("_")]
        adders = [name for name in dir(mbsens.Model) if name.startswith(("add_", "set_")) or name == "parameters"]
        values = [None, 0, -1, 1.5, math.nan, math.inf, 1e300, 1e-300, "", "m", "Ls1", "psi1", "1 +", "\0", "\ud800", b"x", [],
                  [1], [1, 2], [[1, 2], [3, 4]], ["a"], {}, {"Ls1": 2}, {"P": [0, 0]}, {1: 2}, np.zeros(5), np.ones((2, 6)),
                  np.array(["a"]), np.zeros(0), True, object(), lambda *a: None, 10**400, 2**31, -(2**63)]
        caught = {}
        model = simulation = None
        for number in range(CALLS):
            if number % 40 == 0:
                model = mbsens.Model.from_file(MODELS / draw.choice(["five_bar.yaml", "bouncing_ball.yaml"]))
                simulation = model.simulation(method=draw.choice([None, "direct", "adjoint"]), end=0.02,
                                              history=draw.random() < 0.5)
            target = simulation if draw.random() < 0.7 else model
            name = draw.choice(names if target is simulation else adders)
            arguments = [draw.choice(values) for _ in range(draw.randrange(4))]
            if name == "close" and draw.random() < 0.8:
                continue
            try:
                member = getattr(target if target is simulation else target.copy(), name)
                if callable(member):
                    made = member(*arguments)
                    if name == "steps":
                        next(made, None)
                elif isinstance(member, (dict,)) or name == "parameters":
                    member[arguments[0] if arguments else "m"] = arguments[-1] if arguments else None
            except ALLOWED as error:
                self.assertTrue(str(error) or isinstance(error, (KeyError, TypeError)))
                caught[type(error).__name__] = caught.get(type(error).__name__, 0) + 1
        self.assertGreater(sum(caught.values()), CALLS / 10, caught)
        self.assertNotIn("InternalError", caught)

    def test_questions(self):
        """What is asked of a model in one go, of terms and of steps; options too."""
        draw = random.Random(11)
        values = [None, 0, -1, 1.5, math.nan, math.inf, "", "m", "Ls1", "psi1", ["Ls1", "Ls2"], "\0", "\ud800", b"x", [], [1, 2],
                  {}, {"Ls1": 2}, {"Ls1": [2.2, 2.3]}, {"Ls1": (2, 3)}, {1: 2}, np.zeros(5), np.ones((2, 6)), np.zeros(6), True,
                  object(), lambda *a: None, 10**400, "accelerations", "positions", "direct", "adjoint"]
        asked = ("run", "gradient", "simulate", "equilibrium", "equilibria", "linearize", "hessian", "optimize", "sweep",
                 "identify", "simulation", "set_function", "set_range")
        options = ("step", "formulation", "coordinates", "method", "wrt", "objectives", "bounds", "constraints", "search",
                   "threads", "time", "inputs", "directions", "sigma", "data", "outputs", "samples", "maximize", "history")
        refused = 0
        for number in range(CALLS):
            if number % 50 == 0:
                model = mbsens.Model.from_file(MODELS / draw.choice(["five_bar.yaml", "pendulum.yaml"]))
                targets = [model, model, mbsens.Terms(model), mbsens.StepMap(model, step=0.01)]
            target = draw.choice(targets)
            names = asked if target is model else [n for n in dir(target) if not n.startswith("_") and n != "close"]
            more = {draw.choice(options): draw.choice(values) for _ in range(draw.randrange(3))} if target is model else {}
            try:
                member = getattr(target, draw.choice(names))
                if callable(member):
                    member(*[draw.choice(values) for _ in range(draw.randrange(3))], **({**more, "end": 0.02} if more else {}))
            except ALLOWED as error:
                self.assertNotIsInstance(error, mbsens.InternalError)
                refused += 1
        self.assertGreater(refused, CALLS / 3)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        CALLS = int(sys.argv.pop(1))
    unittest.main()
