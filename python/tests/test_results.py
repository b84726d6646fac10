# needs: h5py
"""Results files: what the command wrote is what the package computes, to the bit; files that are none."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"
COMMAND = os.environ["MBSENS_COMMAND"]


class TestResults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "results.h5"

    def tearDown(self):
        self.folder.cleanup()

    def write(self, command, model, *words):
        subprocess.run([COMMAND, command, MODELS / f"{model}.yaml", "-o", self.path, "--quiet", *words], check=True,
                       stdout=subprocess.DEVNULL)
        return mbsens.read_results(self.path)

    def test_of_a_gradient(self):
        told = self.write("gradient", "five_bar", "--end", "0.2", "--wrt", "Ls1,mA1")
        result = mbsens.Model.from_file(MODELS / "five_bar.yaml").gradient(wrt=["Ls1", "mA1"], end=0.2, history=True,
                                                                          columns="all")
        np.testing.assert_array_equal(told.time, result.history["t"])
        np.testing.assert_array_equal(told["P2.x"], result.history["P2.x"])
        np.testing.assert_array_equal(told["P2.x", "mA1"], result.history.slopes("P2.x", "mA1")[:, 0])
        np.testing.assert_array_equal(told.values, result.values)
        np.testing.assert_array_equal(told.gradient, result.gradient)
        self.assertEqual((told.objectives, told.parameters), (result.objectives, result.parameters))
        self.assertEqual(told.attributes["model"], "five-bar linkage")
        self.assertTrue(told.attributes["complete"])
        again = mbsens.Model.from_text(told.model_text).gradient(wrt=["Ls1", "mA1"], end=0.2)
        np.testing.assert_array_equal(again.gradient, told.gradient)
        with self.assertRaisesRegex(KeyError, "nothing"):
            told["nothing"]
        with self.assertRaisesRegex(KeyError, "no parameter 'LA1'"):
            told["P2.x", "LA1"]

    def test_of_events(self):
        told = self.write("gradient", "bouncing_ball", "--end", "1")
        result = mbsens.Model.from_file(MODELS / "bouncing_ball.yaml").gradient(end=1)
        self.assertEqual([event["time"] for event in told.events], [event.time for event in result.events])
        np.testing.assert_array_equal(told.events[0]["gradient"], result.events[0].gradient)
        simulated = self.write("simulate", "pendulum", "--end", "0.1")
        self.assertIsNone(simulated.gradient)
        with self.assertRaisesRegex(KeyError, "no derivatives"):
            simulated[simulated.tables["coordinates"].names[0], "d"]

    def test_others(self):
        with self.assertRaises(mbsens.FileError):
            mbsens.read_results(self.path)
        self.path.write_text("t,x\n")
        with self.assertRaises(mbsens.FileError):
            mbsens.read_results(self.path)
        import h5py

        with h5py.File(self.path, "w") as file:
            file["time"] = [0.0]
        with self.assertRaisesRegex(mbsens.FileError, "not a results file"):
            mbsens.read_results(self.path)


if __name__ == "__main__":
    if "with HDF5" not in subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout:
        print("skipped: the command is built without HDF5")
        sys.exit(77)
    unittest.main()
