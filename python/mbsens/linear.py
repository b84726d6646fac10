"""The motion near one state, in first order."""

from __future__ import annotations

import ctypes
from functools import cached_property

import numpy as np

from . import _convert
from ._context import context
from ._library import lib, structs
from ._request import Request
from .errors import UsageError


class Mode:
    """An eigenvalue and its motion exp(eigenvalue t) shape.

    - eigenvalue (complex, 1/s), frequency (Hz), damping (ratio), repeated (how often it is there), is_defective
    - gradient: its derivatives by the parameters (complex), None: none, or defective
    - shape: x, with 1 for the largest of its positions; shape_gradient (parameters x size), None: none
    - participation: by body, shares of the kinetic energy; motion: by point, how it moves (complex, 2 or 3)
    """

    def __init__(self, mode, linear):
        size, count = linear.size, len(linear.parameters)
        self.eigenvalue = complex(mode.real, mode.imag)
        self.frequency, self.damping = mode.frequency, mode.damping
        self.repeated, self.is_defective = mode.repeated, mode.is_defective
        self.gradient = _complex(mode.gradient, count)
        self.shape = _complex(mode.shape, size)
        self.shape_gradient = _complex(mode.shape_gradient, count, size)
        shares = _convert.array(mode.participation, len(linear.bodies))
        self.participation = dict(zip(linear.bodies, map(float, shares if shares is not None else ())))
        moved = _complex(mode.motion, len(linear.points), linear._c.dimension)
        self.motion = dict(zip(linear.points, moved if moved is not None else ()))

    def __repr__(self):
        return f"Mode({self.eigenvalue:.6g}/s, {self.frequency:.6g} Hz, damping {self.damping:.4g})"


class Linearization:
    """x' = A x + B u, y = C x + D u for small deviations: x of independent coordinates, their rates and states of first
    order (``states``), u of ``inputs``, y of ``outputs``. It lives by itself. Made by :meth:`mbsens.Model.linearize`.

    - A, B, C, D: arrays; A_gradient: dA/dp (parameters x size x size), the whole derivative, None: not asked for
    - modes: a list of :class:`Mode` in ascending order of the eigenvalues' size; eigenvalues, eigenvalue_gradient
      (modes x parameters, NaN where there is none) are arrays of all of them
    """

    def __init__(self, model, *, time=0.0, inputs=None, wrt=None, gradients=True, **settings):
        here = context()
        time = float(_convert.numbers(time, (), "the time"))
        listed = _convert.name_list(inputs, "inputs")
        names = _convert.char_array(listed or [])
        asked = lib.mbs_default_linearize_def()
        asked.time, asked.has_gradients = time, _convert.flag(gradients, "gradients")
        asked.input_count = len(listed or [])
        if listed:
            asked.inputs = ctypes.cast(names, type(asked.inputs))
        request = Request(here, model._open, settings, parameters=wrt, may_be_empty=True)
        self._handle = ctypes.POINTER(structs["MbsLinearization"])()
        with model._in_use() as handle:
            status = here.call(lib.mbs_linearize, handle, request.handle, ctypes.byref(asked),
                               ctypes.byref(self._handle))
        here.check(status)
        self._c = self._handle.contents

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.mbs_linearization_destroy(self._handle)
            self._handle = None

    def _names(self, what, count):
        return _convert.names(getattr(self._c, what), count)

    # ---- where, and of what ----
    model = property(lambda self: _convert.text(self._c.model), doc="The name of the model.")
    time = property(lambda self: self._c.time)
    size = property(lambda self: self._c.size)
    is_automatic = property(lambda self: self._c.is_automatic, doc="The coordinates were chosen, not given.")
    is_moving = property(lambda self: self._c.is_moving, doc="Matrices belong to these coordinates alone.")
    states = cached_property(lambda self: self._names("states", self._c.size))
    inputs = cached_property(lambda self: self._names("inputs", self._c.input_count))
    outputs = cached_property(lambda self: self._names("outputs", self._c.output_count))
    bodies = cached_property(lambda self: self._names("bodies", self._c.body_count))
    points = cached_property(lambda self: self._names("points", self._c.point_count))
    warnings = cached_property(lambda self: self._names("warnings", self._c.warning_count))

    @cached_property
    def parameters(self) -> dict:
        """Those of the derivatives, with their values."""
        values = _convert.array(self._c.parameter_values, self._c.parameter_count)
        names = self._names("parameters", self._c.parameter_count)
        return dict(zip(names, map(float, values if values is not None else ())))

    @cached_property
    def x(self) -> np.ndarray:
        """Where the independent coordinates, their rates and states are."""
        return _convert.array(self._c.x, self.size)

    @cached_property
    def y(self) -> np.ndarray:
        """The outputs there."""
        return _matrix(self._c.y, len(self.outputs))

    # ---- matrices ----
    A = cached_property(lambda self: _matrix(self._c.A, self.size, self.size))
    B = cached_property(lambda self: _matrix(self._c.B, self.size, len(self.inputs)))
    C = cached_property(lambda self: _matrix(self._c.C, len(self.outputs), self.size))
    D = cached_property(lambda self: _matrix(self._c.D, len(self.outputs), len(self.inputs)))
    A_gradient = cached_property(
        lambda self: _convert.array(self._c.A_gradient, self._c.parameter_count, self.size, self.size))

    # ---- modes ----
    @cached_property
    def modes(self) -> list:
        return [Mode(self._c.mode[i], self) for i in range(self._c.mode_count)]

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        return np.array([mode.eigenvalue for mode in self.modes], dtype=complex)

    @cached_property
    def eigenvalue_gradient(self) -> np.ndarray:
        none = np.full(len(self.parameters), complex(np.nan, np.nan))
        rows = [none if mode.gradient is None else mode.gradient for mode in self.modes]
        return np.array(rows, dtype=complex).reshape(len(rows), len(self.parameters))

    def response(self, frequencies) -> np.ndarray:
        """G(i w) = C (i w - A)^-1 B + D at angular frequencies w, rad/s: frequencies x outputs x inputs, complex."""
        w = _convert.numbers(frequencies, (-1,), "the frequencies")
        if not (len(self.outputs) and len(self.inputs)):
            raise UsageError("a response needs inputs and outputs: the model has none, or none was named")
        told = np.zeros((len(w), len(self.outputs), len(self.inputs), 2))
        here = context()
        here.check(lib.mbs_linearization_response(here.handle, self._handle, len(w), w.ctypes.data, told.ctypes.data))
        return told[..., 0] + 1j * told[..., 1]

    def to_scipy(self):
        """The same as scipy.signal.StateSpace."""
        from scipy.signal import StateSpace

        if not (len(self.outputs) and len(self.inputs)):
            raise UsageError("a StateSpace needs inputs and outputs: the model has none, or none was named")
        return StateSpace(self.A, self.B, self.C, self.D)

    def __repr__(self):
        return f"Linearization({self.model!r}, t={self.time:.6g}, {self.size} states, {self.modes})"


def _matrix(pointer, *shape):
    found = _convert.array(pointer, *shape)
    return found if found is not None else np.zeros(shape)


def _complex(pointer, *shape):
    """Real part, then imaginary part; None where there is nothing."""
    if not pointer:
        return None
    parts = _convert.array(pointer, *shape, 2)
    return parts[..., 0] + 1j * parts[..., 1]
