"""Steps as a function: from a state, inputs and parameters to the state, outputs and objectives after them, with products
of its derivative and of the transpose.

    (q1, v1, a1, outputs, psi) = F(q, v, u_1 ... u_k; rho)       k steps of equal size, u_i: inputs during step i

or to the whole trajectory on the way there.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple, Optional

import numpy as np

from . import _convert
from ._held import Held
from ._library import lib, structs
from ._request import Request
from .errors import UsageError
from .model import Model
from .simulation import State

_DOUBLES = ctypes.POINTER(ctypes.c_double)


class Arguments(NamedTuple):
    """What F depends on: changes of these, or what they receive. None: not there."""

    position: Optional[np.ndarray]
    velocity: Optional[np.ndarray]
    inputs: Optional[np.ndarray]  # steps x inputs
    parameters: Optional[np.ndarray]


class Results(NamedTuple):
    """What F gives: changes of these, or weights."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    outputs: np.ndarray
    objectives: np.ndarray


class Trajectory(NamedTuple):
    """What there is at the start and after each step: rows of steps + 1."""

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    outputs: np.ndarray
    objectives: np.ndarray  # of the whole run


class StepMap(Held):
    """Steps of a model as a function, from any state that meets the constraints.

    - objectives: names, one or a list, as if the run were these steps; each costs a sweep backwards; None: all, []: none
    - wrt: names of parameters; None: all
    - settings: formulation, coordinates, integrator, step, columns (more outputs), ...; method and end do not matter

    Derivatives are those of the steps that were computed, through events on the way.
    """

    _what, _c_name = "StepMap", "step_map"

    def __init__(self, model: Model, *, objectives=None, wrt=None, **settings):
        super().__init__(model)
        request = Request(self._context, model._open, settings, objectives=objectives, parameters=wrt,
                          may_be_empty=True)
        self._create(request, lib.mbs_step_map_create)
        self.coordinates = self._names("coordinate")
        self.wrt = self._names("parameter")
        self.inputs = self._names("input")
        self.output_names = self._names("output")
        self.objectives = self._names("objective")
        self._run = 0  # counts runs
        self._given: tuple = (False, None, 0)  # of the last one: was it from a state, shape of its inputs, steps

    def _names(self, what):
        count = self._ask(getattr(lib, f"mbs_step_map_{what}_count"))
        return _convert.names(self._ask(getattr(lib, f"mbs_step_map_{what}_names")), count)

    @property
    def parameters(self) -> dict:
        """Those in ``wrt``, with their values."""
        numbers = _convert.array(self._ask(lib.mbs_step_map_parameters), len(self.wrt))
        return dict(zip(self.wrt, map(float, numbers if numbers is not None else ())))

    def set_parameters(self, numbers) -> None:
        """All of ``wrt``, in its order, for the runs that follow."""
        numbers = _convert.numbers(numbers, (len(self.wrt),), "the parameters")
        self._do(lib.mbs_step_map_set_parameters, len(numbers), numbers.ctypes.data)

    # ---- the function ----
    def run(self, position=None, velocity=None, *, time: float = 0.0, steps: int = 1, inputs=None) -> State:
        """So many steps from a state (without one: from the model's start), and the state after them.

        inputs: steps x inputs, those of each step; for one step their numbers alone will do.
        """
        self._walk(lib.mbs_step_map_run, self._way(position, velocity, time, steps, inputs))
        return self.state

    def trajectory(self, position=None, velocity=None, *, time: float = 0.0, steps: int = 1, inputs=None) -> Trajectory:
        """The same with all states and outputs on the way: row i is what a run of i steps alone would end with. (Where
        an event ends the run, that end is in all rows that are left.)"""
        way = self._way(position, velocity, time, steps, inputs)
        times = np.empty(int(steps) + 1)
        rows, made = _room("MbsStepResults", self._results(int(steps) + 1))
        self._walk(lib.mbs_step_map_trajectory, way, times.ctypes.data, ctypes.byref(rows))
        return Trajectory(times, **made)

    def _way(self, position, velocity, time, steps, inputs):
        n = len(self.coordinates)
        if (position is None) != (velocity is None):
            raise UsageError("a state is a position and a velocity: give both, or none for the model's start")
        if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or not 1 <= steps < 2**31:
            raise UsageError(f"the number of steps must be a whole number from 1 on, got {steps!r}")
        time = float(_convert.numbers(time, (), "the time"))
        q = v = u = None
        if position is not None:
            q, v = _convert.numbers(position, (n,), "the position"), _convert.numbers(velocity, (n,), "the velocity")
        if inputs is not None:
            u = np.asarray(inputs)
            u = u[None] if u.ndim == 1 and steps == 1 else u
            u = _convert.numbers(u, (int(steps), len(self.inputs)), "the inputs (steps x inputs)")
        return time, q, v, int(steps), u

    def _walk(self, function, way, *more):
        time, q, v, steps, u = way
        self._given = (False, None, 0)
        self._do(function, time, len(self.coordinates), _address(q), _address(v), steps, _address(u), *more)
        self._run += 1
        self._given = (q is not None, None if u is None else u.shape, steps)

    @property
    def state(self) -> State:
        """After the last run."""
        n = len(self.coordinates)
        t, numbers = np.empty(1), np.empty((3, n))
        at = numbers.ctypes.data
        self._do(lib.mbs_step_map_state, t.ctypes.data, n, at, at + 8 * n, at + 16 * n)
        return State(float(t[0]), *numbers)

    def outputs(self) -> np.ndarray:
        """After the last run, in the order of ``output_names``."""
        numbers = np.empty(len(self.output_names))
        self._do(lib.mbs_step_map_outputs, len(numbers), numbers.ctypes.data)
        return numbers

    def values(self) -> np.ndarray:
        """The objectives, as if the run began and ended with these steps."""
        numbers = np.empty(len(self.objectives))
        self._do(lib.mbs_step_map_values, len(numbers), numbers.ctypes.data)
        return numbers

    # ---- its derivative, in the run that was made last ----
    def _arguments(self):
        """Sizes of the arguments there are."""
        n, (has_state, inputs, _) = len(self.coordinates), self._given
        return {"position": (n,) if has_state else None, "velocity": (n,) if has_state else None, "inputs": inputs,
                "parameters": (len(self.wrt),)}

    def _results(self, rows=None):
        """Sizes of the results: of the end, or of so many rows."""
        n, rows = (len(self.coordinates),), () if rows is None else (rows,)
        return {"position": rows + n, "velocity": rows + n, "acceleration": rows + n,
                "outputs": rows + (len(self.output_names),), "objectives": (len(self.objectives),)}

    def jvp(self, position=None, velocity=None, inputs=None, parameters=None) -> Results:
        """How the results change along a direction of the arguments (None: zero)."""
        return self._push(lib.mbs_step_map_jvp, position, velocity, inputs, parameters, None)

    def vjp(self, position=None, velocity=None, acceleration=None, outputs=None, objectives=None) -> Arguments:
        """What the arguments receive of weights of the results (None: zero)."""
        return self._pull(lib.mbs_step_map_vjp, position, velocity, acceleration, outputs, objectives, None)

    def trajectory_jvp(self, position=None, velocity=None, inputs=None, parameters=None) -> Results:
        """How all rows of the trajectory change along a direction of the arguments."""
        rows = self._given[2] + 1
        return self._push(lib.mbs_step_map_trajectory_jvp, position, velocity, inputs, parameters, rows)

    def trajectory_vjp(self, position=None, velocity=None, acceleration=None, outputs=None, objectives=None) -> Arguments:
        """What the arguments receive of weights of all rows of the trajectory: one way back, which each row enters where
        its step ends. With weights dL/d(row) it is the gradient of a loss L of the whole trajectory."""
        rows = self._given[2] + 1
        return self._pull(lib.mbs_step_map_trajectory_vjp, position, velocity, acceleration, outputs, objectives, rows)

    def _push(self, function, position, velocity, inputs, parameters, rows):
        given = {"position": position, "velocity": velocity, "inputs": inputs, "parameters": parameters}
        direction, kept = _fill("MbsStepArguments", given, self._arguments(), "direction")
        change, made = _room("MbsStepResults", self._results(rows))
        self._do(function, ctypes.byref(direction), ctypes.byref(change))
        return Results(**made)

    def _pull(self, function, position, velocity, acceleration, outputs, objectives, rows):
        given = {"position": position, "velocity": velocity, "acceleration": acceleration, "outputs": outputs,
                 "objectives": objectives}
        bar, kept = _fill("MbsStepResults", given, self._results(rows), "weights")
        received, made = _room("MbsStepArguments", self._arguments())
        self._do(function, ctypes.byref(bar), ctypes.byref(received))
        return Arguments(**made)

    def __repr__(self):
        return f"StepMap({self.model!r}, {len(self.coordinates)} coordinates, {len(self.inputs)} inputs)"


def _address(numbers):
    return None if numbers is None else numbers.ctypes.data


def _fill(struct, given, shapes, what):
    filled, kept = structs[struct](), []
    for name, value in given.items():
        if value is None:
            continue
        if shapes[name] is None:
            raise UsageError(f"the {what} of {name}: the last run was made without {name}")
        numbers = _convert.numbers(value, shapes[name], f"the {what} of {name}")
        kept.append(numbers)
        if numbers.size:
            setattr(filled, name, numbers.ctypes.data_as(_DOUBLES))
    return filled, kept


def _room(struct, shapes):
    room, made = structs[struct](), {}
    for name, shape in shapes.items():
        made[name] = None if shape is None else np.zeros(shape)
        if shape is not None and made[name].size:
            setattr(room, name, made[name].ctypes.data_as(_DOUBLES))
    return room, made
