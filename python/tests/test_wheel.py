"""A wheel, as pip would make and unpack it: it carries library, headers and command, and works away from the sources."""

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
PROGRAM = """
import mbsens
print(mbsens.library_path)
model = mbsens.Model.from_text("mbsens: 1\\nbodies: {b: {mass: 1, points: {P: [0, 0]}}}\\nobjectives: {x: {final: r(P).x}}\\n")
print(model.simulate(end=0.1)["x"])
"""


class TestWheel(unittest.TestCase):
    def test_wheel(self):
        sys.path.insert(0, str(PYTHON))
        import build_backend

        with tempfile.TemporaryDirectory() as folder:
            name = build_backend.build_wheel(folder)
            with zipfile.ZipFile(Path(folder) / name) as wheel:
                wheel.extractall(Path(folder) / "site")
                modes = {entry.filename: entry.external_attr >> 16 for entry in wheel.infolist()}
            command = [name for name in modes if name.endswith(".data/scripts/mbsens")]
            self.assertEqual([modes[name] for name in command], [0o755] if os.environ.get("MBSENS_COMMAND") else [])
            if SANITIZED:
                return  # the program below would need that runtime, too
            own = {key: value for key, value in os.environ.items() if not key.startswith(("MBSENS_", "PYTHONPATH"))}
            told = subprocess.run([sys.executable, "-c", PROGRAM], env={**own, "PYTHONPATH": f"{folder}/site"}, cwd=folder,
                                  capture_output=True, text=True, check=True).stdout.split()
            self.assertEqual(told, [f"{folder}/site/mbsens/libmbsens.so", "0.0"])


if __name__ == "__main__":
    unittest.main()
