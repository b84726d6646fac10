"""Models made at random of what engineers write, by ways that must agree: python3 tests/random_models.py COMMAND NUMBER...

Each number is a model: a chain of bodies in the plane or in space, joints of all kinds, forces by tables, states, stops, friction, steps in
time, variables that events set, impacts, and four objectives of all kinds; with a formulation and an integrator of its own. Direct method,
adjoint and complex step must agree in natural coordinates, direct method and adjoint in relative ones, and the model run again with another
number must say the same of two parameters. (Values in both coordinates: fuzz_coordinates.) A run that ends with an error on the way is no
failure, but half of them must run. `print NUMBER` writes one of them.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

FORMULATIONS = ["ali3p", "index1", "ali1", "index3", "penalty", "matrix-r"]
INTEGRATORS = ["trapezoidal", "generalised-alpha", "radau-3", "radau-5", "dormand-prince-5", "dormand-prince-8"]
METHODS = 1e-8  # of the largest derivative of an objective
DIFFERENCES = 3e-5


class Maker:
    """A model, piece by piece; every number is a parameter."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.space = self.random.random() < 0.5
        self.parameters = {}
        self.sections = {name: [] for name in ("bodies", "joints", "forces", "initial", "tables", "states", "variables", "events")}

    def number(self, name, least, most):
        self.parameters[name] = round(self.random.uniform(least, most), 4)
        return name

    def vector(self, *parts):
        return "[" + ", ".join(str(round(self.random.uniform(*part), 3)) for part in parts) + "]"

    def happens(self, part):
        return self.random.random() < part

    def force(self, text):
        self.sections["forces"].append("- {" + text + "}")

    def link(self, i):
        number, tail = self.number, ", 0" if self.space else ""
        length, mass = number(f"l{i}", 0.3, 0.8), number(f"m{i}", 0.5, 2)
        inertia = self.vector(*[(0.03, 0.05)] * 3) if self.space else round(self.random.uniform(0.01, 0.1), 4)
        com = f"[{length}/2, 0.02" + (", -0.03]" if self.space else "]")
        self.sections["bodies"].append(
            f"b{i}: {{mass: {mass}, com: {com}, inertia: {inertia}, points: {{A: [0, 0{tail}], B: [{length}, 0{tail}],"
            f" C: {self.vector(*[(-0.2, 0.2)] * (3 if self.space else 2))}}}}}"
        )
        kinds = ["revolute", "universal", "prismatic", "cylindrical", "screw"] if self.space else ["revolute", "revolute", "prismatic"]
        kind = self.random.choice(kinds)
        axis = f", axis: {self.vector((-1, 1), (-1, 1), (0.3, 1)) if self.space else self.vector((-1, 1), (0.3, 1))}"
        if kind == "universal":
            axis = ", axis: [0, 1, 0], axis2: [0, 0, 1]"
        if kind == "revolute" and not self.space:
            axis = ""
        if kind == "screw":
            axis += f", pitch: {number(f'pitch{i}', 0.05, 0.2)}"
        before = "ground.O" if i == 0 else f"b{i - 1}.B"
        self.sections["joints"].append(f"- {{{kind}: [{before}, b{i}.A], name: j{i}{axis}}}")
        if kind in ("revolute", "cylindrical", "screw"):
            value, rate = number(f"a{i}", -0.4, 0.4), number(f"w{i}", -2, 2)
            self.sections["initial"].append(f"- {{coordinate: angle(j{i}), value: {value}, velocity: {rate}}}")
            yield f"angle(j{i})"
        if kind in ("prismatic", "cylindrical"):
            value, rate = number(f"s{i}", -0.1, 0.1), number(f"u{i}", -1, 1)
            self.sections["initial"].append(f"- {{coordinate: slide(j{i}), value: {value}, velocity: {rate}}}")
            self.force(f'coordinate_force: slide(j{i}), value: "-{number(f"k{i}", 100, 400)}*value - {number(f"c{i}", 1, 5)}*rate"')
            yield f"slide(j{i})"

    def laws(self, x, tip):
        number, sections = self.number, self.sections
        self.force(f"spring: [ground.E, {tip}], stiffness: {number('k', 20, 100)}, damping: {number('c', 0.5, 3)}, length: 0.4")
        if self.happens(0.4):
            self.force(f"point_force: {tip}, value: [{number('F', -5, 5)}*step(t - {number('t1', 0.2, 0.7)}), 0{', 0' if self.space else ''}]")
        if self.happens(0.3):
            self.force(f"air_drag: b0.C, area: {number('area', 0.1, 0.5)}, coefficient: 1.1")
        if not x:
            return
        if self.happens(0.5):
            kind = self.random.choice(["linear", "akima", "spline", "monotone"])
            y = ", ".join([*(str(round(self.random.uniform(-6, 6), 2)) for _ in range(5)), number("y5", -5, 5)])
            sections["tables"].append(f"law: {{x: [-3, -0.6, -0.1, 0.35, 0.8, 3], y: [{y}], kind: {kind}, outside: linear}}")
            self.force(f"coordinate_force: {x}, value: law(value) - 0.3*rate")
        if self.happens(0.5):
            read = self.random.choice([x, f"rate({x})"])
            sections["states"].append(f"f: {{rate: ({read} - f)/{number('tau', 0.05, 0.3)}, initial: {number('f0', -0.3, 0.3)}}}")
            self.force(f"coordinate_force: {x}, value: -{number('kf', 1, 8)}*f")
        if self.happens(0.4):
            bounds = f"lower: {number('lo', -0.6, -0.3)}, upper: {number('up', 0.3, 0.6)}"
            self.force(f"stop: {x}, {bounds}, stiffness: {number('ks', 200, 900)}, damping: 0.3")
        if self.happens(0.4):
            self.force(f"friction: {x}, normal: {number('N', 1, 8)}, mu_dynamic: 0.2, mu_static: 0.3, stiction_velocity: 0.1")
        if self.happens(0.4):
            sections["variables"].append(f"n: {number('n0', 0.5, 2)}")
            sections["events"].append(f'knock: {{when: "{x} - {number("lev", -0.3, 0.3)}", set: {{n: "n*0.7 + 0.1*rate({x})"}}}}')
            self.force(f"coordinate_force: {x}, value: -n*rate")
        if self.happens(0.35):
            when = f'"{x} + {number("low", 0.6, 1)}"'
            sections["events"].append(f"bump: {{when: {when}, direction: falling, restitution: {number('e', 0.5, 0.9)}}}")

    def objectives(self, tip):
        z, late = "z" if self.space else "y", self.number("T", 0.3, 0.9)
        every = [
            f"final: r({tip}).x*2 + r({tip}).{z}",
            f'integral: "r({tip}).{z}*v({tip}).x"',
            f"maximum: r({tip}).{z}",
            f"minimum: v({tip}).x",
            f"rms: a({tip}).x",
            f"pnorm: r({tip}).x, p: 6",
            f"violation: r({tip}).x, above: 0.3",
            f"at: v({tip}).{z}, time: 0.9*{late}",
            "final: kinetic_energy(b0)*2 + potential_energy(b0)",
        ]
        return [f"o{i}: {{{text}}}" for i, text in enumerate(self.random.sample(every, 4))]

    def text(self):
        coordinates = [x for i in range(self.random.randint(1, 4)) for x in self.link(i)]
        tip = f"b{len(self.sections['bodies']) - 1}.B"
        self.number("g", 9.81, 9.81)
        self.laws(self.random.choice(coordinates) if coordinates else None, tip)
        objectives = self.objectives(tip)
        ground = "{O: [0, 0, 0], E: [0.6, 0.2, 0.4]}" if self.space else "{O: [0, 0], E: [0.5, 0.6]}"
        lines = ["mbsens: 1", f"dimension: {3 if self.space else 2}", f"gravity: [0, {'0, ' if self.space else ''}-g]", "parameters:"]
        lines += [f"  {name}: {value}" for name, value in self.parameters.items()] + [f"ground: {{points: {ground}}}"]
        for name, items in self.sections.items():
            if items:
                lines += ["initial:", "  independent:"] if name == "initial" else [f"{name}:"]
                lines += [("    " if name == "initial" else "  ") + item for item in items]
        return "\n".join([*lines, "objectives:", *("  " + text for text in objectives), "simulation: {end: 1, step: 0.005}", ""])


def ways(maker):
    formulation, integrator = maker.random.choice(FORMULATIONS), maker.random.choice(INTEGRATORS)
    if integrator.startswith("dormand") and formulation in ("ali3p", "index3") or integrator.startswith("radau") and formulation == "matrix-r":
        formulation = "index1"
    return ["--formulation", formulation, "--integrator", integrator]


def run(command, path, *options):
    """values and gradients by objective, and the number of events; None: it ended with an error that says why"""
    done = subprocess.run([command, "gradient", path, "--json", *options], capture_output=True, text=True)
    if done.returncode in (2, 3) and "error" in done.stderr + done.stdout:
        return None
    result = json.loads(done.stdout)
    return result["objectives"], len(result["events"])


def apart(one, other):
    """the largest difference of derivatives, of the largest one of its objective"""
    worst = (0, "")
    for name, objective in one[0].items():
        gradient, expected = objective["gradient"], other[0][name]["gradient"]
        largest = max(map(abs, expected.values()), default=0) + 1e-9
        worst = max([worst, *((abs(gradient[p] - expected[p]) / largest, f"d({name})/d({p})") for p in expected)])
    return worst


def check(command, number, folder):
    maker = Maker(number)
    path = Path(folder) / f"random_{number}.yaml"
    path.write_text(maker.text())
    options, faults = ways(maker), []
    natural = run(command, path, *options)
    if natural is None:
        return "an error", faults
    relative = ["--coordinates", "relative"]
    for what, reference, changed in (
        ("adjoint", natural, ["--method", "adjoint"]),
        ("complex step", natural, ["--method", "complex-step"]),
        ("adjoint, relative", run(command, path, *options, *relative), [*relative, "--method", "adjoint"]),
    ):
        result = run(command, path, *options, *changed)
        if (result is None) != (reference is None):
            faults.append(f"{what}: one ends with an error, the other does not")
        elif result and (off := apart(result, reference))[0] > METHODS:
            faults.append(f"{what}: {off[1]} is {off[0]:.1e} off")
    for name in maker.random.sample(sorted(maker.parameters), 2):
        change = 1e-5 * max(abs(maker.parameters[name]), 0.1)
        sides = [run(command, path, *options, "--set", f"{name}={maker.parameters[name] + side * change!r}") for side in (1, -1)]
        if None in sides or any(side[1] != natural[1] for side in sides):
            continue  # another sequence of events has another derivative
        for objective, expected in natural[0].items():
            difference = (sides[0][0][objective]["value"] - sides[1][0][objective]["value"]) / (2 * change)
            exact, largest = expected["gradient"][name], max(map(abs, expected["gradient"].values()))
            noise = 1e-10 * abs(expected["value"]) / change
            if abs(difference - exact) > DIFFERENCES * abs(exact) + 1e-6 * largest + noise + 1e-9:
                faults.append(f"run again: d({objective})/d({name}) is {exact:.8g}, and {difference:.8g}")
    return " ".join(options[1::2]) + f", {natural[1]} events", faults


def main():
    if sys.argv[1:2] == ["print"]:
        print(Maker(int(sys.argv[2])).text(), end="")
        return 0
    failed = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in map(int, sys.argv[2:]):
            what, faults = check(sys.argv[1], number, folder)
            print(f"{number}: {what}:", "; ".join(faults) or "agree", flush=True)
            failed += bool(faults)
            ran += what != "an error"
    return 1 if failed or 2 * ran < len(sys.argv) - 2 else 0


if __name__ == "__main__":
    sys.exit(main())
