"""Runs keep no memory: neither Python's nor the library's. test_leaks.py 100000 does so many runs instead of 1500."""

import gc
import os
import sys
import tracemalloc
import unittest
from pathlib import Path

import mbsens

MODELS = Path(__file__).resolve().parents[2] / "models"
RUNS = 1500


def resident():
    """Bytes of memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


class TestLeaks(unittest.TestCase):
    def grows(self, work, runs):
        """Bytes of memory, of Python and in all, that so many calls of `work` leave behind."""
        tracemalloc.start()
        for _ in range(runs):
            work()
        gc.collect()
        before, held = resident(), tracemalloc.get_traced_memory()[0]
        for _ in range(runs):
            work()
        gc.collect()
        python = tracemalloc.get_traced_memory()[0] - held
        tracemalloc.stop()
        return python, resident() - before

    def check(self, work, runs):
        python, all_of_it = self.grows(work, runs)
        print(f"{runs} runs: {python} bytes of Python's, {all_of_it} in all")
        # free lists of the interpreter fill up, to 60 kB at most; a run that left a hundred bytes would not pass this
        self.assertLess(python, max(25e3, 20 * runs))
        # pages that the allocator keeps; a run that left a hundred bytes would pass this with 1e5 runs
        if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps what was freed, for a while
            self.assertLess(all_of_it, max(3e6, 60 * runs))

    def test_simulation(self):
        model = mbsens.Model.from_file(MODELS / "pendulum.yaml")
        simulation = model.simulation(end=0.005, history=True)
        x = simulation.parameters.array

        def work():
            simulation.run(x)
            simulation.gradient
            simulation.result().points
            simulation.history.data

        self.check(work, RUNS)

    def test_models_and_results(self):
        text = (MODELS / "pendulum.yaml").read_text()

        def work():
            model = mbsens.Model.from_text(text)
            model.gradient("swing", "m", end=0.002, history=True)
            with model.simulation(end=0.002, method="adjoint") as simulation:
                simulation.run()
                simulation.start()
                simulation.save()
            model.to_yaml()
            try:
                model.gradient("nothing")
            except mbsens.InputError:
                pass

        self.check(work, RUNS // 5)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        RUNS = int(sys.argv.pop(1))
    unittest.main()
