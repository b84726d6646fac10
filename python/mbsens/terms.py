"""The terms of the equations of motion, at any time, positions and velocities, with their derivatives.

    f = M a + h + Phi_q' lambda - Q = 0,   Phi(t, q) = 0,   Phidot = Phi_q v + Phi_t,   Phiddot = Phi_q a - gamma

Vectors (``of``) and what they are differentiated by (``by``) go by the names of mbsens/terms.h in small letters:
"balance", "phi", "accelerations", "outputs", ...; "positions", "velocities", "parameters", ... What each of them is, with
its sign, docs/c-api.md says.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from . import _convert
from ._held import Held
from ._library import lib, structs, values
from ._request import Request
from .errors import UsageError
from .model import Model

_OF = {name[len("MBS_TERMS_"):].lower(): value for name, value in values.items() if name.startswith("MBS_TERMS_")}
_BY = {name[len("MBS_BY_"):].lower(): value for name, value in values.items() if name.startswith("MBS_BY_")}


class TermsState(NamedTuple):
    time: float
    position: np.ndarray
    velocity: np.ndarray


class Columns(NamedTuple):
    """A sparse matrix in compressed columns, where SciPy is not there."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple

    def toarray(self) -> np.ndarray:
        full = np.zeros(self.shape)
        full[self.indices, np.repeat(np.arange(self.shape[1]), np.diff(self.indptr))] = self.data
        return full


class Terms(Held):
    """Terms of a model, at the state of its start or at one that is given.

    - wrt: names of parameters, for derivatives "by parameters"; None: all
    - settings: coordinates ("natural", "relative"), tree, columns, ...; formulation and steps do not matter
    """

    _what, _c_name = "Terms", "terms"

    def __init__(self, model: Model, *, wrt=None, **settings):
        super().__init__(model)
        self._create(Request(self._context, model._open, settings, parameters=wrt), lib.mbs_terms_create)
        self._patterns: dict = {}
        self.coordinates = self._names(lib.mbs_terms_coordinate_names, self._width("positions"))
        self.constraints = self._names(lib.mbs_terms_constraint_names, self._size("phi"))
        self.wrt = self._names(lib.mbs_terms_parameter_names, self._width("parameters"))
        self.inputs = self._names(lib.mbs_terms_input_names, self._width("inputs"))
        self.output_names = self._names(lib.mbs_terms_output_names, self._size("outputs"))

    def _names(self, function, count):
        return _convert.names(self._ask(function), count)

    @staticmethod
    def _number(known, name, what):
        if not isinstance(name, str) or name not in known:
            raise UsageError(f"no {what} {name!r}; there are {', '.join(known)}")
        return known[name]

    def _size(self, of):
        return self._ask(lib.mbs_terms_size, self._number(_OF, of, "vector"))

    def _width(self, by):
        return self._ask(lib.mbs_terms_width, self._number(_BY, by, "argument"))

    @property
    def independent_positions(self) -> tuple:
        return self._names(lib.mbs_terms_independent_position_names, self._width("independent_positions"))

    @property
    def independent_velocities(self) -> tuple:
        return self._names(lib.mbs_terms_independent_velocity_names, self._width("independent_velocities"))

    # ---- numbers in ----
    def start(self) -> None:
        """The start of the model, assembled at t = 0."""
        self._do(lib.mbs_terms_start)

    def set_state(self, time, position, velocity) -> None:
        """Any state: it need not meet the constraints."""
        n = len(self.coordinates)
        time = float(_convert.numbers(time, (), "the time"))
        q, v = _convert.numbers(position, (n,), "the position"), _convert.numbers(velocity, (n,), "the velocity")
        self._do(lib.mbs_terms_set_state, time, n, q.ctypes.data, v.ctypes.data)

    def set_parameters(self, numbers) -> None:
        """All of ``wrt``, in its order. The state must be set anew."""
        numbers = _convert.numbers(numbers, (len(self.wrt),), "the parameters")
        self._do(lib.mbs_terms_set_parameters, len(numbers), numbers.ctypes.data)

    def set_inputs(self, numbers) -> None:
        """The model's inputs. The state must be set anew."""
        numbers = _convert.numbers(numbers, (len(self.inputs),), "the inputs")
        self._do(lib.mbs_terms_set_inputs, len(numbers), numbers.ctypes.data)

    def set_accelerations(self, accelerations, multipliers) -> None:
        """For what depends on them, in the place of those of the motion, until another state is set."""
        a = _convert.numbers(accelerations, (len(self.coordinates),), "the accelerations")
        lagrange = _convert.numbers(multipliers, (len(self.constraints),), "the multipliers")
        self._do(lib.mbs_terms_set_accelerations, len(a), a.ctypes.data, len(lagrange), lagrange.ctypes.data)

    def use_motion(self) -> None:
        """Accelerations and multipliers of the motion again."""
        self._do(lib.mbs_terms_use_motion)

    def set_direction(self, direction) -> None:
        """w of "constraint_rates", Phi_q w."""
        w = _convert.numbers(direction, (len(self.coordinates),), "the direction")
        self._do(lib.mbs_terms_set_direction, len(w), w.ctypes.data)

    def set_point(self, body: str, local) -> None:
        """The point of "point": of a body, in its axes."""
        local = _convert.numbers(local, (-1,), "the point")
        self._do(lib.mbs_terms_set_point, _convert.to_bytes(body, "the name of a body"), len(local), local.ctypes.data)

    def choose_independent(self) -> None:
        """Independent positions and velocities that suit the present state."""
        self._do(lib.mbs_terms_choose_independent)

    def take_state(self, other: "Terms") -> None:
        """The state of Terms of the same model in other coordinates: natural, relative, or of another tree."""
        if not isinstance(other, Terms) or other.model is not self.model or other is self:
            raise UsageError("take_state takes other Terms of the same model")
        handle = other._enter()
        try:
            self._do(lambda context, mine: lib.mbs_terms_convert(context, handle, mine))
        finally:
            other._lock.release()

    # ---- numbers out ----
    @property
    def state(self) -> TermsState:
        """Time, positions and velocities that are set."""
        n = len(self.coordinates)
        q, v, t = np.empty(n), np.empty(n), np.empty(1)
        self._do(lib.mbs_terms_state, t.ctypes.data, n, q.ctypes.data, v.ctypes.data)
        return TermsState(float(t[0]), q, v)

    def vector(self, of: str) -> np.ndarray:
        """One of the vectors: ``vector("phi")``."""
        number, size = self._number(_OF, of, "vector"), self._size(of)
        numbers = np.empty(size)
        self._do(lib.mbs_terms_vector, number, size, numbers.ctypes.data)
        return numbers

    def matrix(self, of: str, by: str):
        """Its derivative: a scipy.sparse.csc_matrix (without SciPy: :class:`Columns`), with one pattern for all states."""
        pair = self._number(_OF, of, "vector"), self._number(_BY, by, "argument")
        pattern = self._patterns.get(pair)
        if pattern is None or by.startswith("independent") or of.startswith("independent"):
            pattern = self._patterns[pair] = self._pattern(pair)
        shape, indptr, indices = pattern
        data = np.zeros(len(indices))
        self._do(lib.mbs_terms_matrix, *pair, len(data), data.ctypes.data)
        parts = data, indices.copy(), indptr.copy()  # matrices of SciPy may be changed in place
        try:
            from scipy.sparse import csc_matrix
        except ImportError:
            return Columns(*parts, shape)
        return csc_matrix(parts, shape=shape)

    def _pattern(self, pair):
        told = structs["MbsTermsPattern"]()
        self._do(lib.mbs_terms_pattern, *pair, ctypes.byref(told))
        indptr = np.array(told.column_start[: told.columns + 1], dtype=np.int32)
        indices = np.array(told.row[: told.entries] if told.entries else [], dtype=np.int32)
        return (told.rows, told.columns), indptr, indices

    def jvp(self, of: str, by: str, direction) -> np.ndarray:
        """J u, without the matrix."""
        u = _convert.numbers(direction, (self._width(by),), f"the direction of the {by}")
        product = np.empty(self._size(of))
        self._do(lib.mbs_terms_product, _OF[of], _BY[by], len(u), u.ctypes.data, len(product), product.ctypes.data)
        return product

    def vjp(self, of: str, by: str, weights) -> np.ndarray:
        """J' w, without the matrix."""
        w = _convert.numbers(weights, (self._size(of),), f"the weights of {of}")
        product = np.empty(self._width(by))
        self._do(lib.mbs_terms_product_transposed, _OF[of], _BY[by], len(w), w.ctypes.data, len(product),
                 product.ctypes.data)
        return product

    # ---- by their names ----
    M = property(lambda self: self.matrix("balance", "accelerations"), doc="The mass matrix.")
    Q = property(lambda self: self.vector("forces"), doc="Applied forces, weight among them.")
    bias = property(lambda self: self.vector("bias"), doc="h, of relative coordinates.")
    Phi = property(lambda self: self.vector("phi"), doc="Constraints.")
    Phi_q = property(lambda self: self.matrix("phi", "positions"), doc="Their Jacobian.")
    Phidot = property(lambda self: self.vector("phidot"))
    gamma = property(lambda self: self.vector("gamma"), doc="Phiddot = Phi_q a - gamma.")
    accelerations = property(lambda self: self.vector("accelerations"), doc="Of the motion at this state.")
    multipliers = property(lambda self: self.vector("multipliers"), doc="Of the motion at this state.")

    def energies(self) -> tuple[float, float]:
        """Kinetic and potential energy; the potential one is NaN where a force has none."""
        numbers = np.empty(2)
        self._do(lib.mbs_terms_energies, numbers.ctypes.data, numbers.ctypes.data + 8)
        return float(numbers[0]), float(numbers[1])

    def reactions(self) -> dict:
        """What joints between points do to their second bodies: force and torque (2 x 3)."""
        count = self._ask(lib.mbs_terms_reaction_count)
        numbers = np.zeros((count, 2, 3))
        self._do(lib.mbs_terms_reactions, numbers.size, numbers.ctypes.data)
        return dict(zip(self._names(lib.mbs_terms_reaction_names, count), numbers))

    def point(self, body: str, local) -> tuple:
        """Where a point of a body is, and its Jacobian by the positions."""
        self.set_point(body, local)
        return self.vector("point"), self.matrix("point", "positions")

    def __repr__(self):
        return f"Terms({self.model!r}, {len(self.coordinates)} coordinates, {len(self.constraints)} constraints)"
