"""Simulations: the command's numbers to the bit, steps, inputs, products, threads, interruptions."""

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"
COMMAND = os.environ["MBSENS_COMMAND"]

# a mass that inputs push; closed forms below
PUSHED = """
mbsens: 1
dimension: 2
gravity: [0, 0]
parameters: {m: 2}
inputs: {u: 0, w: 0}
bodies: {cart: {mass: m, points: {P: [0, 0]}}}
forces: [{point_force: cart.P, value: [u, w]}]
outputs: {place: r(P)}
objectives: {x: {final: r(P).x}, y: {final: r(P).y}, effort: {integral: u^2}}
simulation: {end: 1, step: 0.25}
"""


def model(name="five_bar"):
    return mbsens.Model.from_file(MODELS / f"{name}.yaml")


def command(*words):
    told = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return told.stdout


class TestTheCommand(unittest.TestCase):
    def test_gradients_to_the_bit(self):
        cases = [("five_bar", "direct", {"end": 0.5}), ("five_bar", "adjoint", {"end": 0.5, "formulation": "index3"}),
                 ("bouncing_ball", "direct", {"end": 1.0}), ("rssr", "adjoint", {"end": 0.2, "coordinates": "relative"}),
                 ("pendulum", "complex-step", {"end": 0.1}), ("pendulum", "finite-difference", {"end": 0.1})]
        for name, method, settings in cases:
            words = [f"--{key}={value}" for key, value in settings.items()]
            told = json.loads(command("gradient", MODELS / f"{name}.yaml", "--method", method, "--json", *words))
            result = model(name).gradient(method=method, **settings)
            self.assertEqual(dict(result.parameters), told["parameters"])
            self.assertGreater(np.abs(result.gradient).max(), 0)
            for objective, numbers in told["objectives"].items():
                self.assertEqual(result[objective], numbers["value"])
                for parameter, derivative in numbers["gradient"].items():
                    self.assertEqual(result[objective, parameter], derivative, (name, method, objective, parameter))
            if method in ("direct", "adjoint"):
                simulation = model(name).simulation(method=method, **settings)
                for _ in range(2):
                    simulation.run()
                    self.assertEqual(simulation.gradient.tobytes(), result.gradient.tobytes())

    def test_history(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "out.csv"
            command("simulate", MODELS / "five_bar.yaml", "--end", 0.3, "-o", file)
            lines = file.read_text().splitlines()
        table = model().run(end=0.3, history=True).history
        self.assertEqual(list(table.names), [name.strip('"') for name in lines[0].split(",")])
        numbers = np.array([[float(word) for word in line.split(",")] for line in lines[1:]])
        self.assertEqual(table.data.tobytes(), numbers.tobytes())
        self.assertEqual(len(table), 31)
        self.assertTrue(np.shares_memory(table["t"], table.data))


class TestRuns(unittest.TestCase):
    def test_steps_are_the_run(self):
        simulation = model().simulation(end=0.3, history=True)
        values = simulation.run()
        gradient, rows = simulation.gradient, simulation.history.data
        times = list(simulation.steps())
        simulation.finish()
        self.assertEqual(simulation.values.tobytes(), values.tobytes())
        self.assertEqual(simulation.gradient.tobytes(), gradient.tobytes())
        self.assertEqual(len(times), 30)
        self.assertEqual(times[-1], 0.3)
        self.assertEqual(simulation.history.data.tobytes(), rows.tobytes())
        state = simulation.state
        self.assertEqual(simulation.coordinates, ("P1.x", "P1.y", "P2.x", "P2.y", "P3.x", "P3.y"))
        self.assertEqual(state.position[2], simulation.history["P2.x"][-1])
        self.assertEqual(state.acceleration[0], simulation.history["P1.x''"][-1])
        self.assertEqual(simulation.result().points["P2"].position[0], state.position[2])

    def test_save_and_restore(self):
        simulation = model("bouncing_ball").simulation(end=1.5)
        simulation.start()
        while simulation.time < 0.5:
            simulation.step()
        saved = simulation.save()
        for _ in simulation_rest(simulation):
            pass
        values = simulation.finish()
        simulation.restore(saved)
        self.assertLess(simulation.time, 0.51)
        for _ in simulation_rest(simulation):
            pass
        self.assertEqual(simulation.finish().tobytes(), values.tobytes())
        with self.assertRaises(mbsens.UsageError):
            model().simulation().restore(saved)
        del saved
        simulation.save()
        self.assertEqual(len(simulation._free), 1)  # the place is used again

    def test_set_state(self):
        simulation = model("pendulum").simulation(method=None)
        simulation.start()
        state = simulation.state
        simulation.set_state(state.position, state.velocity + 0.0)
        with self.assertRaises(mbsens.InputError):
            simulation.set_state(2 * state.position, state.velocity)
        simulation.start()
        simulation.set_state(2 * state.position, state.velocity, project=True)

    def test_products(self):
        random = np.random.default_rng(1)
        for name in ("five_bar", "bouncing_ball"):
            direct = model(name).simulation(end=1.0)
            adjoint = model(name).simulation(end=1.0, method="adjoint")
            for _ in range(3):
                tangent, seed = random.normal(size=len(direct.wrt)), random.normal(size=len(direct.objectives))
                forward, backward = seed @ direct.jvp(tangent), adjoint.vjp(seed) @ tangent
                self.assertGreater(abs(forward), 1e-3)
                self.assertLess(abs(forward - backward), 1e-12 * np.abs(seed) @ np.abs(direct.gradient) @ np.abs(tangent))

    def test_parameters(self):
        simulation = model().simulation(objectives="psi1", wrt=["Ls2", "Ls1"], end=0.5)
        at_start = simulation.run()
        simulation.parameters["Ls1"] = 2.3
        self.assertEqual(simulation.parameters["Ls1"], 2.3)
        changed = simulation.run()
        self.assertNotEqual(changed[0], at_start[0])
        self.assertEqual(simulation.run({"Ls2": 2.0615528128088303}).tobytes(), changed.tobytes())
        self.assertEqual(simulation.run([np.sqrt(4.25), np.sqrt(5)]).tobytes(), at_start.tobytes())
        f = simulation.function("psi1")
        h = 1e-5
        slope = (f(f.x0 + [h, 0]) - f(f.x0 - [h, 0])) / (2 * h)
        self.assertAlmostEqual(f.jac(f.x0)[0], slope, delta=1e-6 * abs(slope))
        self.assertEqual(f.runs, 3)
        self.assertEqual((f(f.x0), f.runs), (at_start[0], 3))  # of the run before

    def test_inputs(self):
        cart = mbsens.Model.from_text(PUSHED)
        u = np.array([[1.0, 2.0], [-3.0, 0.5], [2.0, 0.0], [0.25, -1.0]])
        simulation = cart.simulation(method="adjoint")
        values = simulation.run(inputs=u, hold=0.25)
        # a force that holds for h moves the cart by u h^2 / (2 m) and its velocity by u h / m
        h, m, left = 0.25, 2.0, np.array([3, 2, 1, 0])
        weights = h**2 / m * (left + 0.5)
        np.testing.assert_allclose(values, [weights @ u[:, 0], weights @ u[:, 1], h * np.sum(u[:, 0] ** 2)], rtol=1e-12)
        by_inputs = simulation.input_gradient
        self.assertEqual(by_inputs.shape, (3, 4, 2))
        np.testing.assert_allclose(by_inputs[0], np.outer(weights, [1, 0]), atol=1e-13)
        np.testing.assert_allclose(by_inputs[1], np.outer(weights, [0, 1]), atol=1e-13)
        np.testing.assert_allclose(by_inputs[2], np.outer(2 * h * u[:, 0], [1, 0]), atol=1e-13)
        np.testing.assert_allclose(simulation.gradient[:2, 0], -values[:2] / m, rtol=1e-12)
        self.assertEqual(simulation.output_names, ("place.x", "place.y"))
        np.testing.assert_allclose(simulation.run(inputs=u[:2], hold=0.5),
                                   cart.simulation().run(inputs=np.repeat(u[:2], 2, axis=0), hold=h), rtol=1e-12)
        stepping = cart.simulation()
        stepping.start()
        stepping.set_inputs([2.0, 0])
        stepping.step()
        np.testing.assert_allclose(stepping.outputs(), [2.0 / 4 * 0.0625, 0])
        np.testing.assert_allclose(stepping.output_slopes()[:, 0], [-2.0 / 8 * 0.0625, 0])
        self.assertEqual(stepping.output("place.x"), stepping.outputs()[0])

    def test_results(self):
        result = model("bouncing_ball").gradient(end=1.0)
        self.assertEqual([event.name for event in result.events], ["floor"])
        self.assertEqual(result.events[0].gradient.shape, (7,))
        self.assertGreater(result.events[0].energy_lost, 0)
        self.assertTrue(result.is_complete)
        self.assertEqual(result.final_time, 1.0)
        self.assertGreater(result.statistics.steps, 400)
        still = model().simulate(end=0.1)
        self.assertIsNone(still.gradient)
        self.assertEqual(len(still.reactions), 5)
        self.assertEqual(still.reactions["revolute 1"].force.shape, (3,))
        accurate = model("pendulum").gradient(accuracy=1e-6, end=0.5)
        self.assertEqual(accurate.gradient_errors.shape, accurate.gradient.shape)
        names, by_position, by_velocity = model().gradient(method="adjoint", end=0.1).start_gradient
        self.assertEqual((len(names), by_position.shape, by_velocity.shape), (6, (3, 6), (3, 6)))

    def test_numerical_failure(self):
        falling = mbsens.Model.from_text(
            "mbsens: 1\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, points: {P: [0, 0]}}}\nparameters: {h: 0.2}\n"
            "forces: [{point_force: b.P, value: [0, sqrt(h + r(P).y)]}]\nobjectives: {y: {final: r(P).y}}\n"
        )
        for call in (falling.simulate, falling.simulation().run):
            with self.assertRaises(mbsens.NumericalError) as caught:
                call()
            self.assertFalse(caught.exception.result.is_complete)
            self.assertGreater(caught.exception.result.final_time, 0.1)
            self.assertEqual(caught.exception.kind, "numerical")


def simulation_rest(simulation):
    while not simulation.is_over:
        simulation.step()
        yield


class TestThreads(unittest.TestCase):
    def test_same_bits(self):
        shared = model()
        values = {}

        def sweep(number):
            simulation = shared.simulation(wrt="Ls1", end=0.5)
            values[number] = [simulation.run([2.2 + 0.01 * i]).tobytes() for i in range(8)]
            values[number].append(shared.gradient(end=0.2).gradient.tobytes())

        sweep("alone")
        threads = [threading.Thread(target=sweep, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i in range(3):
            self.assertEqual(values[i], values["alone"])
        self.assertEqual(len(set(values["alone"])), 9)

    def test_the_lock_is_free(self):
        """This thread goes on while another one is in a run of the library: with the interpreter's lock held it would wait
        until that is over."""
        simulation = model().simulation(method=None, end=30)
        events = []

        def run():
            events.append("begin")
            simulation.run()
            events.append("end")

        thread = threading.Thread(target=run)
        thread.start()
        turns = 0
        while "end" not in events:
            time.sleep(1e-4)
            turns += "begin" in events and "end" not in events
        thread.join()
        self.assertGreater(turns, 3)

    def test_one_at_a_time(self):
        simulation = model("pendulum").simulation(end=60, step=0.001)
        refused = []

        def disturb(fraction):
            try:
                simulation.step()
            except mbsens.UsageError as error:
                refused.append(str(error))
            return False

        with self.assertRaises(mbsens.Interrupted):
            simulation.run(progress=disturb)
        self.assertIn("in use", refused[0])
        simulation.start()
        simulation.step()


class TestInterruption(unittest.TestCase):
    def test_progress(self):
        told = []
        model("pendulum").gradient(end=1, progress=told.append)
        self.assertGreater(len(told), 1)
        self.assertEqual(told, sorted(told))

        def fail(fraction):
            raise ZeroDivisionError("mine")

        with self.assertRaises(ZeroDivisionError):
            model("pendulum").gradient(end=1, progress=fail)
        with self.assertRaises(mbsens.Interrupted):
            model("pendulum").gradient(end=1, progress=lambda fraction: False)

    def test_control_c(self):
        endless = model("pendulum").simulation(end=1e4, step=0.001)
        before = signal.getsignal(signal.SIGINT)
        for run in (endless.run, lambda: model("pendulum").gradient(end=1e4)):
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                run()
            self.assertLess(time.monotonic() - begin, 60)
            timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertEqual(endless.objectives, ("swing", "speed"))
        endless.start()  # as good as before
        endless.step()


if __name__ == "__main__":
    unittest.main()
