# needs: pandas matplotlib
"""Frames of pandas and plots of matplotlib."""

import tempfile
import unittest
from pathlib import Path

import mbsens
import numpy as np

MODELS = Path(__file__).resolve().parents[2] / "models"


class TestExtras(unittest.TestCase):
    def setUp(self):
        model = mbsens.Model.from_file(MODELS / "bouncing_ball.yaml")
        model.add_output("rise", "r(P).y", unit="m")
        model.add_output("speed", "norm(v(P))", unit="m/s")
        self.result = model.gradient(["range", "late"], ["e", "g"], end=1, history=True, columns="outputs")

    def test_frames(self):
        frame = self.result.to_frame()
        self.assertEqual(frame.loc["late", "e"], self.result["late", "e"])
        self.assertEqual(list(frame.columns), ["value", "e", "g"])
        table = self.result.history.to_frame()
        self.assertEqual(table.index.name, "t")
        np.testing.assert_array_equal(table["rise"].to_numpy(), self.result.history["rise"])

    def test_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plot.svg"
            axes = self.result.history.plot(["rise", "speed"], file=file, title="a ball")
            self.assertGreater(file.stat().st_size, 5000)
        self.assertEqual([there.get_ylabel() for there in axes], ["m", "m/s"])
        np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), self.result.history["speed"])
        again = self.result.history.plot("rise", axes=axes[0])
        self.assertEqual(len(again[0].lines), 2)
        self.assertEqual(len(self.result.history.plot()), 3)  # m, m/s, and slopes without a unit
        with self.assertRaises(mbsens.UsageError):
            self.result.history.plot("nothing")


if __name__ == "__main__":
    unittest.main()
