"""What came out of a run."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from . import _convert
from ._library import lib
from .errors import UsageError


class Result:
    """Values, gradients and everything else that a run tells. It lives by itself.

    - ``result["psi1"]``: the value of an objective; ``result["psi1", "Ls1"]``: its derivative by a parameter
    - ``values`` (objectives) and ``gradient`` (objectives x parameters, None when simulating only) are arrays, in the
      order of ``objectives`` and ``parameters``
    """

    def __init__(self, handle, history=None, owner=None):
        self._handle = handle
        self._owner = owner  # of the handle, which goes with it; None: this is
        self._c = handle.contents
        self.history = history

    def __del__(self):
        if getattr(self, "_handle", None) and self._owner is None:
            lib.mbs_result_destroy(self._handle)
        self._handle = None

    def _names(self, what):
        return _convert.names(getattr(self._c, what), getattr(self._c, what[:-1] + "_count"))

    def _records(self, what, count=None):
        pointer, count = getattr(self._c, what), getattr(self._c, count or what[:-1] + "_count")
        return [_convert.record(pointer[i]) for i in range(count)]

    def _by_name(self, what, count=None):
        return {record.__dict__.pop("name"): record for record in self._records(what, count)}

    # ---- objectives and their gradients ----
    @cached_property
    def objectives(self) -> tuple:
        return self._names("objectives")

    @cached_property
    def parameters(self) -> dict:
        """Those of the gradient, with their values."""
        values = _convert.array(self._c.parameter_values, self._c.parameter_count)
        return dict(zip(self._names("parameters"), map(float, values if values is not None else ())))

    @cached_property
    def values(self) -> np.ndarray:
        return _convert.array(self._c.values, self._c.objective_count)

    def _matrix(self, pointer):
        return _convert.array(pointer, self._c.objective_count, self._c.parameter_count)

    @cached_property
    def gradient(self) -> np.ndarray | None:
        return self._matrix(self._c.gradient)

    @cached_property
    def value_errors(self) -> np.ndarray | None:
        """Estimated, absolute, where an accuracy was asked for."""
        return _convert.array(self._c.value_errors, self._c.objective_count)

    @cached_property
    def gradient_errors(self) -> np.ndarray | None:
        return self._matrix(self._c.gradient_errors)

    def __getitem__(self, key) -> float:
        objective, parameter = key if isinstance(key, tuple) else (key, None)
        if objective not in self.objectives:
            raise KeyError(f"no objective {objective!r}; there are {', '.join(self.objectives)}")
        row = self.objectives.index(objective)
        if parameter is None:
            return float(self.values[row])
        if self.gradient is None:
            raise KeyError("there is no gradient: the run simulated only")
        if parameter not in self.parameters:
            raise KeyError(f"no parameter {parameter!r}; there are {', '.join(self.parameters)}")
        return float(self.gradient[row, list(self.parameters).index(parameter)])

    def to_frame(self):
        """A pandas DataFrame: a row for each objective, its value and its derivative by each parameter."""
        import pandas

        frame = pandas.DataFrame({"value": self.values}, index=pandas.Index(self.objectives, name="objective"))
        for column, name in enumerate(self.parameters if self.gradient is not None else ()):
            frame[name] = self.gradient[:, column]
        return frame

    def plot(self, columns=None, **options):
        """Plots columns of its history over time: see :meth:`mbsens.History.plot`."""
        if self.history is None:
            raise UsageError("no history was kept: run with history=True")
        return self.history.plot(columns, **options)

    # ---- the run ----
    is_complete = property(lambda self: self._c.is_complete, doc="False: it failed on the way, and `error` says why.")
    error = property(lambda self: _convert.text(self._c.error))
    model = property(lambda self: _convert.text(self._c.model), doc="The name of the model.")
    dimension = property(lambda self: self._c.dimension)
    final_time = property(lambda self: self._c.final_time)
    has_ended = property(lambda self: self._c.has_ended, doc="An event ended the run.")

    @cached_property
    def statistics(self):
        return _convert.record(self._c.statistics)

    @cached_property
    def accuracy(self):
        return _convert.record(self._c.accuracy)

    @cached_property
    def warnings(self) -> tuple:
        """Sentences on how far the results can be trusted."""
        return self._names("warnings")

    @cached_property
    def events(self) -> list:
        """In the order of time: name, time, energy_lost, ..., and ``gradient`` of the time by the parameters, or None."""
        listed = []
        for i in range(self._c.event_count):
            event = self._c.events[i]
            more = {name: _convert.array(getattr(event, name), self._c.parameter_count)
                    for name in ("gradient", "gradient_error")}
            listed.append(_convert.record(event, **more))
        return listed

    jumps = cached_property(lambda self: self._records("jumps"))
    kinks = cached_property(lambda self: self._records("kinks"))
    unsmooth = cached_property(lambda self: self._records("unsmooth", "unsmooth_count"))
    ties = cached_property(lambda self: self._records("ties"))

    # ---- at the end ----
    @cached_property
    def points(self) -> dict:
        """At the end, by name: position, velocity, acceleration."""
        return self._by_name("points")

    @cached_property
    def coordinates(self) -> dict:
        """Those of the model's own: value, rate, acceleration."""
        return self._by_name("coordinates")

    @cached_property
    def states(self) -> dict:
        """Those of first order: value, rate."""
        return self._by_name("first_order", "first_order_count")

    @cached_property
    def outputs(self) -> dict:
        """By name: a number, or an array of 2 or 3."""
        listed = {}
        for i in range(self._c.output_count):
            output = self._c.outputs[i]
            value = np.array(output.value[: output.size])
            listed[_convert.text(output.name)] = float(value[0]) if output.size == 1 else value
        return listed

    @cached_property
    def reactions(self) -> dict:
        """What joints do to their second bodies, when simulating only: force, torque."""
        return {record.joint: record for record in self._records("reactions")}

    @cached_property
    def multipliers(self) -> dict:
        values = _convert.array(self._c.multipliers, self._c.multiplier_count)
        names = _convert.names(self._c.multiplier_names, self._c.multiplier_count)
        return dict(zip(names, map(float, values if values is not None else ())))

    # ---- the start ----
    @cached_property
    def equilibrium(self) -> _convert.Record | None:
        """Where the start is an equilibrium: is_steady, is_stable, residual, iterations, held (names of what nothing
        determines), solved (what was solved for, with the values found), and of the motion about it matrix and eigenvalues
        (complex). Else None."""
        if not self._c.equilibrium:
            return None
        told = self._c.equilibrium.contents
        real, imaginary = (_convert.array(part, told.order) for part in (told.real, told.imaginary))
        eigenvalues = np.zeros(0, dtype=complex) if real is None else real + 1j * imaginary
        solved = dict(zip(_convert.names(told.solved, told.solved_count), told.solved_values[: told.solved_count]))
        return _convert.record(told, held=_convert.names(told.held, told.held_count), solved=solved, eigenvalues=eigenvalues,
                               matrix=_convert.array(told.matrix, told.order, told.order))

    @cached_property
    def start_gradient(self) -> tuple | None:
        """Method adjoint: names of the coordinates, and derivatives of the objectives by their positions and by their
        velocities at the start, each taken as free (objectives x coordinates)."""
        count = self._c.state_count
        if not count:
            return None
        both = _convert.array(self._c.at_start, self._c.objective_count, 2 * count)
        return _convert.names(self._c.state_names, count), both[:, :count], both[:, count:]

    def __repr__(self):
        numbers = ", ".join(f"{name}={value:.10g}" for name, value in zip(self.objectives, self.values))
        return f"Result({self.model!r}, t={self.final_time:.10g}, {numbers})"
