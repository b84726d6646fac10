"""Models: from files, texts, mappings and calls they are the same; mistakes are exceptions with a place."""

import math
import pickle
import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"


def five_bar_by_calls():
    model = mbsens.Model("five-bar linkage")
    model.set_gravity([0, -9.81])
    model.add_parameters(Ls1="sqrt(5)", Ls2="sqrt(4.25)", mA1=1, xG="sqrt(2)/2", LA1="sqrt(2)")
    model.add_ground_points(A=[-0.5, 0], B=[0.5, 0])
    rod, width = {"mass": 1.5, "com": ["sqrt(3.25)/2", 0], "inertia": "1.5*3.25/12"}, "sqrt(3.25)"
    model.add_body("A1", mass="mA1", com=["xG", 0], inertia="1/6", points={"A": [0, 0], "P1": ["LA1", 0]})
    model.add_body("L12", points={"P1": [0, 0], "P2": [width, 0]}, **rod)
    model.add_body("L23", points={"P2": [0, 0], "P3": [width, 0]}, **rod)
    model.add_body("L3B", mass=1, com=["sqrt(2)/2", 0], inertia="1/6", points={"P3": [0, 0], "B": ["sqrt(2)", 0]})
    for ends in ("ground.A A1.A", "A1.P1 L12.P1", "L12.P2 L23.P2", "L23.P3 L3B.P3", "L3B.B ground.B"):
        model.add_revolute_joint(ends.split())
    model.add_spring(["A1.P1", "ground.B"], stiffness=100, length="Ls1")
    model.add_spring(["L12.P2", "ground.B"], stiffness=100.0, length="Ls2")
    for point, place in {"P1": [-1.5, -1], "P2": (0, -2), "P3": np.array([1.5, -1])}.items():
        model.add_initial_point(point, place)
    model.add_independent_coordinate("angle(A1)", value="atan2(-1, -1)")
    model.add_independent_coordinate("angle(L12)", value=math.atan2(-1, 1.5))
    model.add_objective("psi1", integral="dot(r(P2) - [0, -2], r(P2) - [0, -2])")
    model.add_objective("psi2", integral="dot(v(P2), v(P2))")
    model.add_objective("psi3", integral="dot(a(P2), a(P2))")
    model.set_simulation(end=5, step=0.01)
    return model


class TestModels(unittest.TestCase):
    def test_four_ways_are_the_same_bits(self):
        read = mbsens.Model.from_file(MODELS / "five_bar.yaml")
        reference = read.gradient(end=0.5)
        rebuilt = five_bar_by_calls()
        sections = {
            "dimension": 2, "parameters": {"L": np.float64(1.5), "m": 2}, "gravity": np.array([0, -9.81]),
            "ground": {"points": {"O": [0, 0]}},
            "bodies": {"bar": {"mass": "m", "com": ["L/2", 0], "inertia": 0.1, "points": {"O": [0, 0]}}},
            "joints": [{"revolute": ["ground.O", "bar.O"]}],
            "objectives": {"turn": {"final": "angle(bar)"}}, "simulation": {"end": 0.1},
        }
        for other in (mbsens.Model.from_text((MODELS / "five_bar.yaml").read_text()), rebuilt, read.copy(),
                      mbsens.Model.from_text(rebuilt.to_yaml()), pickle.loads(pickle.dumps(read))):
            result = other.gradient(end=0.5)
            self.assertEqual(result.values.tobytes(), reference.values.tobytes())
            self.assertEqual(result.gradient.tobytes(), reference.gradient.tobytes())
        model = mbsens.Model.from_dict(sections)
        self.assertEqual(dict(model.parameters), {"L": 1.5, "m": 2})
        # a compound pendulum that starts level: angle = -0.5 alpha t^2 to first order
        alpha = 2 * 9.81 * 0.75 / (0.1 + 2 * 0.75**2)
        self.assertAlmostEqual(model.simulate()["turn"], -0.5 * alpha * 0.01, delta=2e-4)

    def test_contents_and_parameters(self):
        model = mbsens.Model.from_file(MODELS / "pendulum.yaml")
        self.assertEqual((model.name, model.dimension, model.bodies), ("pendulum", 2, ("bar",)))
        self.assertEqual(model.objectives, ("swing", "speed"))
        before = model.simulate()["swing"]
        model.parameters["phi0"] = 0.5
        self.assertEqual(model.parameters["phi0"], 0.5)
        self.assertNotEqual(model.simulate()["swing"], before)
        for number in (0.1 + 0.2, 1 / 3, 1e-300, 123456789.123456789, np.float64(2) / 7, -5e-324):
            model.parameters["g"] = number
            self.assertEqual(model.parameters["g"], number)  # to the bit
        model.parameters["g"] = 9.81
        model.parameters["m"] = "2*d + g"
        self.assertEqual(model.parameters["m"], 2 * 0.5 + 9.81)
        self.assertEqual(model.parameters.derived, ("m",))
        self.assertEqual(list(model.parameters), ["g", "m", "d", "I", "phi0"])
        self.assertIn("m: 2*d + g", model.to_yaml())

    def test_arrays_events_and_lists(self):
        model = mbsens.Model("ball")
        model.add_parameter("u", [1, 2.5])
        model.add_parameters(e=0.8)
        model.add_hardpoint("H", [0, "u[1]"])
        model.add_function("f(x)", "x^2")
        model.add_variable("n")
        model.add_input("push", 0.5)
        model.set_gravity([0, -10])
        model.add_table("law", x=[0, 1, 2], y=["u[1]", "u[2]", 4])
        model.add_body("ball", mass="f(1)", points={"P": [0, 0]}, position="H")
        model.add_point_force("ball.P", value=["push + 0*law(1)", 0])
        model.add_event("floor", "r(P).y", direction="falling", set={"n": "n + 1"},
                        velocities=[{"coordinate": "r(P).y", "velocity": "-e*v(P).y"}])
        model.add_output("height", "r(P).y", unit="m")
        model.add_objective("bounces", final="n")
        model.set_simulation(end=1)
        for each in (model, model.copy()):
            result = each.simulate(history=True)
            self.assertEqual(result["bounces"], 1)  # 1 m: after sqrt(0.2) s, and up again for 1.6 sqrt(0.2) s
            self.assertEqual([event.name for event in result.events], ["floor"])
            self.assertAlmostEqual(result.events[0].time, math.sqrt(0.2), delta=1e-9)
            self.assertEqual(result.history.names, ("t", "height", "bounces"))
            self.assertEqual(result.history.units[1], "m")
        self.assertEqual(list(model.parameters), ["u[1]", "u[2]", "e", "H.x", "H.y"])


class TestMistakes(unittest.TestCase):
    def refused(self, kind, words, call, *arguments, **options):
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        self.assertIsInstance(caught.exception, mbsens.Error)
        self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception

    def test_places_and_several_errors(self):
        text = "mbsens: 1\nbodies:\n  a: {mas: 1}\n  b: {mass: 1, colour: 2}\n"
        error = self.refused(mbsens.InputError, "mass", mbsens.Model.from_text, text, "my.yaml")
        self.assertEqual(error.place, ("my.yaml", 3, 7))
        self.assertEqual(error.kind, "input")
        self.assertEqual(len(error.messages), 2)
        self.assertIn("my.yaml:4:16", error.messages[1])
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), again.messages, again.place), (type(error), error.messages, error.place))
        self.refused(mbsens.FileError, "nowhere.yaml", mbsens.Model.from_file, "nowhere.yaml")

    def test_names_and_values(self):
        model = mbsens.Model.from_file(MODELS / "pendulum.yaml")
        self.refused(mbsens.InputError, 'did you mean "swing"', model.gradient, "swin")
        self.refused(mbsens.InputError, "", model.gradient, wrt="mm")
        self.refused(mbsens.Error, "steps", model.run, steps=1)
        self.refused(mbsens.Error, "", model.run, formulation="ali4")
        self.refused(mbsens.Error, "", model.run, step=math.nan)
        self.refused(mbsens.Error, "", model.run, "forward")
        self.refused(mbsens.Error, "m", model.parameters.__setitem__, "m", math.nan)
        self.refused(mbsens.Error, "", model.parameters.__setitem__, "mm", 1)
        model.parameters["m"] = "1 +"  # an expression is read when the model is used, for it may name what comes later
        self.refused(mbsens.InputError, "m", model.simulate)
        model.parameters["m"] = 1
        with self.assertRaises(KeyError):
            model.parameters["mm"]
        self.refused(mbsens.UsageError, "", model.parameters.__delitem__, "m")

    def test_builder(self):
        model = mbsens.Model("m")
        self.refused(mbsens.InputError, "there", model.add_point, "bar", "P", [0, 0])
        self.refused(mbsens.UsageError, "finite", model.add_body, "b", mass=math.inf)
        self.refused(mbsens.UsageError, "number", model.add_body, "b", mass=1j)
        self.refused(mbsens.UsageError, "text", model.add_body, 5)
        self.refused(mbsens.InputError, "2 points", model.add_revolute_joint, ["a.P"])
        self.refused(mbsens.UsageError, "2 or 3 components", model.set_gravity, [0, 0, 0, 0])
        self.refused(mbsens.UsageError, "mapping", model.add_body, "c", points=[1, 2])
        self.refused(mbsens.UsageError, "zero byte", mbsens.Model, "a\0b")
        self.refused(mbsens.InputError, "dimension", mbsens.Model, "a", 4)
        self.refused(mbsens.UsageError, "dimension", mbsens.Model, "a", "2")
        self.refused(mbsens.UsageError, "UTF-8", model.add_ground_point, "A", "\ud800")
        self.refused(mbsens.UsageError, "zero byte", model.add_parameter, "p", "1\0")
        self.refused(mbsens.UsageError, "UTF-8", mbsens.Model.from_text, "\ud800")
        self.refused(mbsens.UsageError, "mapping", mbsens.Model.from_dict, [])
        self.refused(mbsens.UsageError, "None", mbsens.Model.from_dict, {"name": None})
        self.refused(mbsens.UsageError, "keys", mbsens.Model.from_dict, {"parameters": {1: 2}})
        self.refused(mbsens.UsageError, "finite", mbsens.Model.from_dict, {"parameters": {"a": math.nan}})
        with self.assertRaises(TypeError):
            model.add_body("b", weight=1)

    def test_closed(self):
        model = mbsens.Model.from_file(MODELS / "pendulum.yaml")
        simulation = model.simulation()
        self.refused(mbsens.UsageError, "in use", model.close)
        self.refused(mbsens.UsageError, "in use", model.parameters.__setitem__, "m", 1)
        simulation.close()
        with model:
            pass
        for call in (model.gradient, model.contents, model.to_yaml, model.simulation, model.copy):
            self.refused(mbsens.UsageError, "closed", call)
        self.assertEqual(repr(model), "Model(closed)")
        model.close()


if __name__ == "__main__":
    unittest.main()
