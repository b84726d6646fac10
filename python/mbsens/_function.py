"""Functions of Python in the expressions of a model."""

from __future__ import annotations

import ctypes
import inspect
import sys
import traceback

import numpy as np

from ._library import structs
from .errors import UsageError

_FIELDS = dict(structs["MbsModelFunction"]._fields_)


def describe(function, slopes=None, results: int = 1, arguments: int | None = None):
    """The struct of a function; it keeps what the library calls, and must live as long as that may happen."""
    if not callable(function) or (slopes is not None and not callable(slopes)):
        raise UsageError("a function of a model must be callable, and so must its slopes")
    if arguments is None:
        try:
            kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
        except (TypeError, ValueError):
            kinds = [inspect.Parameter.VAR_POSITIONAL]
        if any(kind not in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds):
            raise UsageError("how many numbers the function takes cannot be told from it: say it, arguments=2")
        arguments = len(kinds)

    def put(address, shape, kind, value):
        size = int(np.prod(shape)) * (1 if kind is float else 2)
        there = np.frombuffer((ctypes.c_double * size).from_address(address), dtype=kind).reshape(shape)
        there[...] = np.asarray(value, dtype=kind).reshape(shape)

    def guarded(call):
        def called(*numbers):
            try:
                call(*numbers)
            except BaseException:  # nothing passes through C: the run fails, and the reason is told here
                print("in a function of a model:", file=sys.stderr)
                traceback.print_exc()
                return 1
            return 0

        return called

    @guarded
    def evaluate(user, count, x, y, dy):
        given = np.frombuffer((ctypes.c_double * count).from_address(x)).tolist() if count else []
        put(y, (results,), float, function(*given))
        if dy and slopes is not None:
            put(dy, (results, count), float, slopes(*given))

    @guarded
    def evaluate_complex(user, count, x, y):
        given = np.frombuffer((ctypes.c_double * (2 * count)).from_address(x), dtype=complex) if count else ()
        put(y, (results,), complex, function(*given))

    made = structs["MbsModelFunction"](argument_count=int(arguments), result_count=int(results),
                                       evaluate=_FIELDS["evaluate"](evaluate), has_slopes=slopes is not None)
    if slopes is None:
        made.evaluate_complex = _FIELDS["evaluate_complex"](evaluate_complex)
    return made
