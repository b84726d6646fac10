"""usage: tests/read_results.py COMMAND, from the root of the repository: what is in files of -o FILE.h5, against the
same run's CSV and JSON. Run by tests/with_h5py.sh."""
import csv
import json
import subprocess
import sys
import tempfile

import h5py
import numpy as np

command = sys.argv[1]
folder = tempfile.TemporaryDirectory()
h5, table = folder.name + "/out.h5", folder.name + "/out.csv"


def run(*arguments, status=0):
    done = subprocess.run([command, *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.stderr)
    return done.stdout


def compare(command_name, model, *options, status=0):
    """Every column of the CSV is in the HDF5 file, with the same bits, and so is every derivative."""
    printed = json.loads(run(command_name, model, *options, "--json", "-o", h5, status=status))
    run(command_name, model, *options, "--columns", "all,points,reactions", "-o", table, status=status)
    suffix = ".incomplete" if status else ""
    with open(table.replace(".csv", suffix + ".csv")) as file:
        rows = list(csv.reader(file))
    columns = {name.split(" [")[0]: np.array([float(row[j]) for row in rows[1:]]) for j, name in enumerate(rows[0])}
    found = 1
    with h5py.File(h5.replace(".h5", suffix + ".h5")) as results:
        parameters = list(results["parameters/name"].asstr())
        assert np.array_equal(results["time"], columns["t"]) and results["time"].attrs["unit"] == b"s"
        for group in results.values():
            if not isinstance(group, h5py.Group) or "value" not in group or "name" not in group or "unit" not in group:
                continue
            value = group["value"]
            assert value.chunks and value.compression == "gzip"
            for j, name in enumerate(group["name"].asstr()):
                assert np.array_equal(value[:, j], columns[name]), name
                found += 1
                for k, parameter in enumerate(parameters if "derivative" in group else []):
                    assert np.array_equal(group["derivative"][:, j, k], columns[f"d({name})/d({parameter})"]), name
                    found += 1
        assert found == len(columns), (found, len(columns))
        for i, name in enumerate(results["final/objective"].asstr()):
            objective = printed["objectives"][name]
            assert results["final/value"][i] == objective["value"]
            if "gradient" in objective:
                assert list(results["final/gradient"][i]) == [objective["gradient"][p] for p in parameters]
        assert list(results["events/time"]) == [event["time"] for event in printed["events"]]
        assert list(results["events/name"].asstr()) == [event["name"] for event in printed["events"]]
        for i, event in enumerate(printed["events"] if "events/gradient" in results else []):
            assert list(results["events/gradient"][i]) == [event["gradient"][p] for p in parameters]
        assert results.attrs["complete"] == printed["complete"] and results.attrs["layout"] == 1
        assert results.attrs["command"].decode() == command_name
        with open(model) as file:
            assert results["model/text"].asstr()[()] == file.read()
        # the model that ran is a model file: its run is this run
        with open(folder.name + "/whole.yaml", "w") as file:
            file.write(results["model/whole"].asstr()[()])
    return printed


few = ("--step", "0.02", "--end", "1")
first = compare("gradient", "models/five_bar_impact.yaml", *few, "--set", "Ls1=2.2")
assert first["events"], "this run is to have an event"
with h5py.File(h5) as results:
    assert list(results["model/set"].asstr()) == ["Ls1=2.2"]
again = json.loads(run("gradient", folder.name + "/whole.yaml", *few, "--json"))
assert again["objectives"] == first["objectives"]
compare("gradient", "models/five_bar.yaml", *few, "--method", "adjoint")
compare("gradient", "models/five_bar.yaml", *few, "--method", "adjoint-continuous", "--formulation", "matrix-r")
compare("gradient", "models/five_bar.yaml", *few, "--method", "complex-step", "--coordinates", "relative")
compare("gradient", "models/rssr.yaml", "--end", "0.1")
compare("simulate", "models/quarter_car.yaml", "--end", "0.1")
compare("kinematics", "models/driven_slider_crank.yaml")

# a run that fails on the way: what there was before, marked
with open(folder.name + "/stuck.yaml", "w") as file:
    file.write("""mbsens: 1
dimension: 2
parameters: {k: 1}
bodies: {ball: {mass: 1, points: {P: [0, 0]}}}
forces:
  - {point_force: ball.P, value: [k/sqrt(0.5 - t), 0]}
objectives: {x: {final: r(P).x}}
simulation: {end: 1, step: 0.01, formulation: index1}
""")
failed = compare("gradient", folder.name + "/stuck.yaml", status=3)
with h5py.File(h5.replace(".h5", ".incomplete.h5")) as results:
    assert results.attrs["complete"] == 0 and results.attrs["error"].decode() == failed["error"]

# matrices: those of the JSON
printed = json.loads(run("linearize", "models/bicycle.yaml", "--wrt", "v,w", "--json", "-o", h5))
with h5py.File(h5) as results:
    assert np.array_equal(results["A"], np.array(printed["A"]))
    assert [tuple(x) for x in results["eigenvalues"][:, 0]] == [(e["real"], e["imag"]) for e in printed["eigenvalues"]]
    assert list(results["states"].asstr()) == printed["states"]
    simple = [k for k, e in enumerate(printed["eigenvalues"]) if "gradient" in e]
    assert simple
    for k in simple:
        assert tuple(results["gradient"][k, 1]) == tuple(printed["eigenvalues"][k]["gradient"]["w"].values())

# long enough for several chunks
run("gradient", "models/five_bar.yaml", "--step", "0.0005", "--wrt", "Ls1,Ls2", "-o", h5)
with h5py.File(h5) as results:
    assert results["time"].shape == (10001,) and results["coordinates/derivative"].shape == (10001, 6, 2)
    assert np.all(np.diff(results["time"][:]) > 0)
    slope = np.gradient(results["coordinates/value"][:, 0], results["time"][:])
    assert np.max(np.abs(slope[1:-1] - results["velocities/value"][1:-1, 0])) < 1e-4
print("what is in HDF5 files is what is in CSV and JSON")
