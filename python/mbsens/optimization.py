"""Better designs: what a search for parameters found."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from . import _convert
from ._context import context
from ._library import lib, structs
from ._request import Request
from .errors import UsageError

_OPTIONS = dict(structs["MbsOptimizeOptions"]._fields_)


class Optimum:
    """Made by :meth:`mbsens.Model.optimize` (docs/optimization.md). nan: there is none.

    - success, message, is_interrupted; value, start_value; violation (of the worst constraint), optimality
    - parameters, start (names with values); gradient, multipliers (names with those of the value, of the bound that holds)
    - objectives: by name, with start, value and gradient (array, or None)
    - constraints: objective, kind, limit, start, value, violation, is_active, multiplier of each
    - algorithm, method; iterations, evaluations, failures, starts; warnings

    ``model.parameters.update(optimum.parameters)`` gives a model these values.
    """

    def __init__(self, model, objectives=None, wrt=None, *, maximize=False, method=None, state=None, on_iterate=None,
                 **settings):
        here = context()
        if method is not None:
            settings["method"] = _convert.method_name(method)
        request = Request(here, model._open, settings, objectives=objectives, parameters=wrt)
        options = structs["MbsOptimizeOptions"](is_maximized=_convert.flag(maximize, "maximize"), is_method_fixed=method is not None)
        if state is not None:
            options.state = _convert.to_bytes(str(state), "the file of the state")
        raised = []

        def tell(user, iterate):
            try:
                return on_iterate(_iterate(iterate.contents)) is not False
            except BaseException as error:  # raised again below
                raised.append(error)
                return False

        if on_iterate is not None:
            if not callable(on_iterate):
                raise UsageError(f"on_iterate must be a function, got {type(on_iterate).__name__}")
            options.on_iterate = _OPTIONS["on_iterate"](tell)
        pointer = ctypes.POINTER(structs["MbsOptimum"])()
        with model._in_use() as handle:
            status = here.call(lib.mbs_optimize, handle, request.handle, ctypes.byref(options), ctypes.byref(pointer))
        try:
            if raised:
                raise raised[0]
            here.check(status)
            self._take(pointer.contents)
        finally:
            if pointer:
                lib.mbs_optimum_destroy(pointer)

    def _take(self, told):
        for name in ("success", "is_interrupted", "is_maximized", "start_value", "value", "violation", "optimality",
                     "iterations", "evaluations", "failures", "starts"):
            setattr(self, name, getattr(told, name))
        self.model, self.message = _convert.text(told.model), _convert.text(told.message)
        self.algorithm, self.method = _convert.text(told.algorithm), _convert.text(told.method)
        rows = told.parameters[: told.parameter_count]
        names = [_convert.text(row.name) for row in rows]
        self.parameters, self.start, self.gradient, self.multipliers = (
            {name: getattr(row, what) for name, row in zip(names, rows)}
            for what in ("value", "start", "gradient", "multiplier"))
        self.constraints = [_convert.record(row) for row in told.constraints[: told.constraint_count]]
        self.objectives = {}
        for row in told.objectives[: told.objective_count]:
            record = _convert.record(row, gradient=_convert.array(row.gradient, len(names)))
            self.objectives[record.__dict__.pop("name")] = record
        self.warnings = _convert.names(told.warnings, told.warning_count)

    def __repr__(self):
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.parameters.items())
        return f"Optimum({self.model!r}, {self.value:.6g} at {numbers}{'' if self.success else ', no optimum'})"


def _iterate(told):
    names = _convert.names(told.names, told.parameter_count)
    parameters = dict(zip(names, map(float, _convert.array(told.parameters, len(names)))))
    return _convert.record(told, parameters=parameters)


def prepared(model, bounds, constraints, search):
    """The model with these ranges, constraints and keys of its section `optimization`: a copy, if there are any."""
    if bounds is None and constraints is None and search is None:
        return model
    model = model.copy()
    if bounds is not None and not isinstance(bounds, Mapping):
        raise UsageError(f"bounds must be a mapping of names to (lower, upper), got {type(bounds).__name__}")
    for name, pair in (bounds or {}).items():
        if isinstance(pair, str) or np.shape(pair) != (2,):
            raise UsageError(f'the bounds of "{name}" must be (lower, upper), where None is no bound')
        model.set_range(name, *pair)
    if constraints is not None and not isinstance(constraints, (list, tuple)):
        raise UsageError(f"constraints must be a list of mappings, got {type(constraints).__name__}")
    for constraint in constraints or ():
        if not isinstance(constraint, Mapping):
            raise UsageError("a constraint must be a mapping: {\"objective\": name, \"below\": limit}")
        model.add_design_constraint(**constraint)
    if search is not None and not isinstance(search, Mapping):
        raise UsageError(f"search must be a mapping of keys of the section optimization, got {type(search).__name__}")
    model.set_optimization(**(search or {}))
    return model
