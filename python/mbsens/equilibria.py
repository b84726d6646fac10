"""Equilibria along a parameter."""

from __future__ import annotations

import ctypes

import numpy as np

from . import _convert
from ._context import context
from ._library import lib, structs
from ._request import Request
from .result import Result


class Equilibria:
    """Made by :meth:`mbsens.Model.equilibria`: one branch, stable or not.

    - parameter, at (its values where an equilibrium was found), points (a :class:`Result` for each)
    - objectives, values (points x objectives), gradient (points x objectives x parameters, or None), is_stable (points)
    - is_complete; else is_limit (it ended at a limit point), last (the value near it) and message (why)
    """

    def __init__(self, model, parameter, values, objectives=None, wrt=None, *, method="direct", **settings):
        here = context()
        values = np.ascontiguousarray(_convert.numbers(values, (-1,), f"the values of {parameter!r}"))
        request = Request(here, model._open, {"method": _convert.method_name(method), **settings}, objectives=objectives, parameters=wrt)
        asked = structs["MbsEquilibriumSweepDef"](parameter=_convert.to_bytes(parameter, "the name of a parameter"),
                                                  count=len(values))
        asked.values = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        self._handle = ctypes.POINTER(structs["MbsEquilibriumSweep"])()
        with model._in_use() as handle:
            status = here.call(lib.mbs_equilibrium_sweep, handle, request.handle, ctypes.byref(asked),
                               ctypes.byref(self._handle))
        if not self._handle:
            here.check(status)
        told = self._handle.contents
        self.parameter, self.is_complete, self.is_limit = parameter, told.is_complete, told.is_limit
        self.last, self.message = told.last, _convert.text(told.message)
        self.at = _convert.array(told.values, told.count)
        self.points = [Result(told.points[i], owner=self) for i in range(told.count)]
        self.objectives = self.points[0].objectives if self.points else ()
        self.values = np.array([point.values for point in self.points])
        gradients = [point.gradient for point in self.points]
        self.gradient = np.array(gradients) if gradients and gradients[0] is not None else None
        self.is_stable = np.array([point.equilibrium.is_stable for point in self.points], dtype=bool)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.mbs_equilibrium_sweep_destroy(self._handle)
            self._handle = None

    def __len__(self):
        return len(self.points)

    def __repr__(self):
        return f"Equilibria({len(self)} along {self.parameter}{'' if self.is_complete else ': ' + self.message})"
