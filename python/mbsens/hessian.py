"""Second derivatives of objectives, exact as gradients are."""

from __future__ import annotations

import ctypes

import numpy as np

from . import _convert
from ._context import context
from ._library import lib, structs
from ._request import Request


class Hessian:
    """Made by :meth:`mbsens.Model.hessian`.

    - objectives, parameters (names with values); values (objectives), gradient (objectives x parameters)
    - products: objectives x directions x parameters, H d; of unit vectors (no directions given) the Hessians themselves
    - warnings: of laws with kinks, which second derivatives do not see move within a step
    - ``hessian["psi1"]``: those rows of one objective
    """

    def __init__(self, model, objectives=None, wrt=None, directions=None, **settings):
        here = context()
        request = Request(here, model._open, settings, objectives=objectives, parameters=wrt)
        count, address = 0, None
        if directions is not None:
            listed = _convert.name_list(wrt, "wrt")
            width = len(listed) if listed is not None else len(model.contents().parameters)
            rows = _convert.numbers(np.atleast_2d(np.asarray(directions)), (-1, width),
                                    "the directions (directions x parameters)")
            count, address = len(rows), rows.ctypes.data
        pointer = ctypes.POINTER(structs["MbsHessian"])()
        with model._in_use() as handle:
            status = here.call(lib.mbs_hessian, handle, request.handle, count, address, ctypes.byref(pointer))
        here.check(status)
        try:
            self._take(pointer.contents)
        finally:
            lib.mbs_hessian_destroy(pointer)

    def _take(self, told):
        objectives, parameters = told.objective_count, told.parameter_count
        self.model = _convert.text(told.model)
        self.objectives = _convert.names(told.objectives, objectives)
        names = _convert.names(told.parameters, parameters)
        self.parameters = dict(zip(names, map(float, _convert.array(told.parameter_values, parameters))))
        self.values = _convert.array(told.values, objectives)
        self.gradient = _convert.array(told.gradient, objectives, parameters)
        self.warnings = _convert.names(told.warnings, told.warning_count)
        self.products = _convert.array(told.products, objectives, told.direction_count, parameters)

    def __getitem__(self, objective) -> np.ndarray:
        if objective not in self.objectives:
            raise KeyError(f"no objective {objective!r}; there are {', '.join(self.objectives)}")
        return self.products[self.objectives.index(objective)]

    def __repr__(self):
        shape = " x ".join(map(str, self.products.shape[1:]))
        return f"Hessian({self.model!r}, {shape} of {', '.join(self.objectives)})"
