"""A sweep's HDF5 file: read by h5py, beside the CSV file of the same sweep; its statistics by NumPy.
Run by tests/with_h5py.sh."""

import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

command = sys.argv[1]
folder = tempfile.TemporaryDirectory()
arguments = [command, "sweep", "tests/models/sweep.yaml", "--samples", "300", "--quiet"]
files = [Path(folder.name) / name for name in ("sweep.h5", "sweep.csv")]
for file in files:
    subprocess.run([*arguments, "-o", str(file)], check=True, stdout=subprocess.DEVNULL)
table = np.genfromtxt(files[1], delimiter=",", names=True, deletechars="")

with h5py.File(files[0]) as sweep:
    varied = list(sweep["varied/name"].asstr())
    objectives = list(sweep["objectives/name"].asstr())
    parameters = list(sweep["parameters/name"].asstr())
    values = sweep["objectives/value"][:]
    gradient = sweep["objectives/gradient"][:]
    assert varied == ["x1", "x2", "x3", "a", "b"] == parameters
    assert objectives == ["ishigami", "linear", "fall"]
    assert list(sweep["varied/distribution"].asstr())[3] == "normal(a, 0.5)"
    assert values.shape == (300, 3) and gradient.shape == (300, 3, 5)
    x = sweep["varied/value"][:]
    for k, name in enumerate(varied):
        assert np.array_equal(x[:, k], table[name]), name
    for i, objective in enumerate(objectives):
        assert np.array_equal(values[:, i], table[objective]), objective
        for k, name in enumerate(parameters):
            assert np.array_equal(gradient[:, i, k], table[f"d({objective})/d({name})"]), (objective, name)
    # the closed form of every sample
    ishigami = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    assert np.allclose(values[:, 0], ishigami, rtol=1e-13, atol=1e-13)
    assert np.allclose(gradient[:, 0, 0], np.cos(x[:, 0]) * (1 + 0.1 * x[:, 2] ** 4), rtol=1e-13, atol=1e-13)
    # statistics
    summary = sweep["statistics/summary"][:]
    expected = np.stack([values.mean(0), values.std(0, ddof=1), values.min(0), values.max(0)], 1)
    assert np.allclose(summary, expected, rtol=1e-12, atol=1e-14), summary - expected
    levels = sweep["statistics/level"][:]
    assert np.allclose(sweep["statistics/quantile"][:], np.quantile(values, levels, axis=0).T, rtol=1e-13)
    together = np.corrcoef(np.hstack([x, values]).T)
    assert np.allclose(sweep["statistics/correlation"][:], together[5:, :5], atol=1e-13)
    assert np.allclose(sweep["statistics/objective_correlation"][:], together[5:, 5:], atol=1e-13)
    deviations = np.array([np.pi / 3**0.5] * 3 + [0.5, 0.2])
    assert np.allclose(sweep["first_order/summary"][1], [0, (16 * 0.25 + 9 * 0.04) ** 0.5], atol=1e-13)
    assert np.allclose(sweep["first_order/part"][0], (np.array([1, 0, 0, 0, 0]) * deviations) ** 2 / (np.pi**2 / 3))
    assert sweep.attrs["plan"].decode() == "monte-carlo" and sweep.attrs["samples"] == 300 and sweep.attrs["seed"] == 1
    assert not sweep["failed"][:].any() and len(sweep["failures/sample"]) == 0
    assert "ishigami" in sweep["model/text"].asstr()[()]
print("sweep: the HDF5 file agrees with the CSV file, closed forms and NumPy")
