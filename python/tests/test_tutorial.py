# needs: scipy
"""What docs/python.md shows runs as it stands there, and says what is written behind it. Lines for pandas and matplotlib,
and the block for PyTorch, are left out where these are not there; the one for JAX is in test_jax.py."""

import importlib.util
import os
import re
import tempfile
import unittest
from pathlib import Path

import mbsens
import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def is_there(module):
    return importlib.util.find_spec(module) is not None


class TestTutorial(unittest.TestCase):
    def test_blocks(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
        self.assertGreaterEqual(len(blocks), 10)
        # what the page takes as given
        steered = mbsens.Model.from_text(
            "mbsens: 1\nparameters: {m: 2}\ninputs: {u: 0}\nbodies: {cart: {mass: m, points: {P: [0, 0]}}}\n"
            "forces: [{point_force: cart.P, value: [u, 0]}]\noutputs: {place: r(P).x}\nobjectives: {x: {final: r(P).x}}\n"
        )
        names = {"steered": steered}
        here, told = os.getcwd(), []
        names["print"] = lambda *words: told.append(words)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "models").symlink_to(ROOT / "models")
            os.chdir(folder)
            try:
                for block in blocks:
                    if "jax" in block or ("torch" in block and not is_there("torch")):
                        continue
                    lines = [line for line in block.splitlines()
                             if ("to_frame" not in line or is_there("pandas"))
                             and (".plot(" not in line or is_there("matplotlib"))]
                    exec(compile("\n".join(lines), "docs/python.md", "exec"), names)
                    self.prepare(names)
                self.assertTrue(Path("pendulum.yaml").is_file())
            finally:
                os.chdir(here)
        self.assertAlmostEqual(told[0][0], -0.880055, delta=1e-6)
        self.assertLess(names["found"].fun, 1e-10)
        self.assertEqual(len(names["results"]), 2)
        self.assertAlmostEqual(names["best"].multipliers["Ls1"], -0.464271, delta=1e-6)
        self.assertEqual(len(names["runs"]), 4)

    @staticmethod
    def prepare(names):
        """The blocks on products, terms and PyTorch begin with a state, inputs and weights of the reader's."""
        if "steps" not in names and "height" in names["model"].objectives:
            model = names["steered"]
            names.update(model=model, q=np.zeros(2), v=np.ones(2), u=np.ones((3, 1)), dpsi_dq=np.ones(2), dv=np.ones(2),
                         w=np.ones(2))
        if "terms" in names and is_there("torch"):
            import torch

            names.update(simulation=names["model"].simulation(method="adjoint", step=0.05),
                         parameters=torch.tensor([2.0], dtype=torch.float64, requires_grad=True),
                         inputs=torch.ones((4, 1), dtype=torch.float64), u=torch.ones(1, dtype=torch.float64),
                         q=torch.zeros(2, dtype=torch.float64), v=torch.zeros(2, dtype=torch.float64))


if __name__ == "__main__":
    unittest.main()
