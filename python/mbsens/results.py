"""Results files: what ``mbsens ... -o FILE.h5`` wrote, read with h5py."""

from __future__ import annotations

import os

import numpy as np

from .errors import FileError

_LAYOUT = 1


class Table:
    """Columns over time: ``names``, ``units``, ``data`` (rows x columns), ``derivative`` (rows x columns x parameters, or
    None). ``table["P2.x"]`` is a column, ``table["P2.x", "Ls1"]`` its derivative by a parameter."""

    def __init__(self, group, parameters):
        self.names = _texts(group["name"])
        self.units = _texts(group["unit"])
        self.data = group["value"][()]
        self.derivative = group["derivative"][()] if "derivative" in group else None
        self._parameters = parameters

    def __getitem__(self, key) -> np.ndarray:
        name, parameter = key if isinstance(key, tuple) else (key, None)
        column = _index(self.names, name, "column")
        if parameter is None:
            return self.data[:, column]
        if self.derivative is None:
            raise KeyError("there are no derivatives over time: the run simulated only, or by the adjoint")
        return self.derivative[:, column, _index(self._parameters, parameter, "parameter")]

    def __contains__(self, name):
        return name in self.names

    def __repr__(self):
        return f"Table({len(self.data)} rows: {', '.join(self.names)})"


class Results:
    """A results file of simulate, gradient, kinematics or equilibrium, read whole (docs/results.md).

    - attributes: model, formulation, integrator, method, step, end, complete, ...; time; parameters with their values
    - tables: by name (coordinates, velocities, outputs, objectives, points, reactions, residuals, ...), each a :class:`Table`
    - objectives, values, gradient (objectives x parameters or None): at the end; events: a list of mappings
    - ``results["P2.x"]``: a column of whatever table has it; ``results["P2.x", "Ls1"]``: its derivative
    - model_text: the model that ran, which :meth:`mbsens.Model.from_text` reads
    """

    def __init__(self, path: str | os.PathLike):
        import h5py

        try:
            file = h5py.File(path, "r")
        except OSError as error:
            raise FileError(f"{os.fspath(path)}: {error}") from None
        with file:
            self.attributes = {name: _plain(value) for name, value in file.attrs.items()}
            if self.attributes.get("layout") != _LAYOUT or "time" not in file:
                raise FileError(f"{os.fspath(path)}: not a results file of mbsens that this package reads")
            self.time = file["time"][()]
            self.parameters = {}
            if "parameters" in file:
                values = file["parameters/value"][()]
                self.parameters = dict(zip(_texts(file["parameters/name"]), map(float, values)))
            names = tuple(self.parameters)
            self.tables = {name: Table(group, names) for name, group in file.items()
                           if hasattr(group, "keys") and "value" in group and name not in ("parameters", "final")}
            self._read_end(file)
            self.warnings = _texts(file["warnings"]) if "warnings" in file else ()
            self.model_text = _texts(file["model/whole"])[0] if "model/whole" in file else None

    def _read_end(self, file):
        final = file["final"] if "final" in file else {}
        self.objectives = _texts(final["objective"]) if "objective" in final else ()
        self.values = final["value"][()] if "value" in final else np.zeros(0)
        self.gradient = final["gradient"][()] if "gradient" in final else None
        self.events = []
        if "events" in file:
            listed = file["events"]
            for i, name in enumerate(_texts(listed["name"])):
                event = {"name": name, "time": float(listed["time"][i]), "energy_lost": float(listed["energy_lost"][i])}
                if "gradient" in listed:
                    event["gradient"] = listed["gradient"][i]
                self.events.append(event)

    def __getitem__(self, key) -> np.ndarray:
        name = key[0] if isinstance(key, tuple) else key
        for table in self.tables.values():
            if name in table:
                return table[key]
        raise KeyError(f"no column {name!r} in {', '.join(self.tables)}")

    def __repr__(self):
        return f"Results({self.attributes.get('model')!r}, {len(self.time)} rows: {', '.join(self.tables)})"


def read_results(path: str | os.PathLike) -> Results:
    """Reads a results file (FILE.h5); needs h5py."""
    return Results(path)


def _plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def _texts(data) -> tuple:
    return tuple(text.decode() for text in np.atleast_1d(data[()]))


def _index(names, name, what):
    listed = list(names)
    if name not in listed:
        raise KeyError(f"no {what} {name!r}; there are {', '.join(listed)}")
    return listed.index(name)
