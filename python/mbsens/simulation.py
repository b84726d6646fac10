"""A simulation to hold: a model compiled once, then run, or stepped, any number of times with other numbers."""

from __future__ import annotations

import ctypes
from collections.abc import MutableMapping
from typing import Iterator, NamedTuple

import numpy as np

from . import _convert
from ._held import Held
from ._library import lib, structs
from ._request import Request
from .errors import Interrupted, UsageError
from .history import History, Recorder
from .model import Model
from .result import Result


class State(NamedTuple):
    """Coordinates, in the order of ``Simulation.coordinates``."""

    time: float
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class Simulation(Held):
    """A model compiled for runs with some settings.

    - method: "direct", "adjoint" or "adjoint-continuous" (values and gradients), or None (values alone)
    - objectives, wrt: names of objectives and of the parameters of gradients, one or a list; None: all
    - history: keep time histories of each run, in ``history``
    - settings: as in the section `simulation` of a model file (end, step, formulation, coordinates, ...)

    One thread at a time; threads with a simulation each scale, for the interpreter's lock is free while they run.
    """

    _what, _c_name = "simulation", "simulator"

    def __init__(self, model: Model, *, method: str | None = "direct", objectives=None, wrt=None,
                 history: bool = False, **settings):
        super().__init__(model)
        self._recorder = Recorder() if _convert.flag(history, "history") else None
        request = Request(self._context, model._open, {"method": _convert.method_name(method), **settings}, objectives=objectives,
                          parameters=wrt, recorder=self._recorder.struct if self._recorder else None)
        self._create(request, lib.mbs_simulator_create)
        self.method = method or "none"
        here = self._handle
        count = lib.mbs_simulator_parameter_count(here)
        self.wrt: tuple = _convert.names(lib.mbs_simulator_parameter_names(here), count)
        self.objectives: tuple = _convert.names(
            lib.mbs_simulator_objective_names(here), lib.mbs_simulator_objective_count(here)
        )
        self.coordinates: tuple = _convert.names(
            lib.mbs_simulator_coordinate_names(here), lib.mbs_simulator_coordinate_count(here)
        )
        self.output_names: tuple = _convert.names(
            lib.mbs_simulator_output_names(here), lib.mbs_simulator_output_count(here)
        )
        self.inputs: tuple = _convert.names(lib.mbs_simulator_input_names(here), lib.mbs_simulator_input_count(here))
        # numbers go in through arrays of our own, and come out by views of the library's
        self._numbers = np.zeros(max(1, count))[:count]
        self._numbers_at = self._numbers.ctypes.data
        self._input_numbers = np.zeros(max(1, len(self.inputs)))[: len(self.inputs)]
        self._inputs_at = self._input_numbers.ctypes.data
        self._views: dict = {}
        self._free: list = []  # places of states that were saved, to be used again

    def close(self) -> None:
        self._views.clear()
        super().close()

    def __repr__(self):
        return f"Simulation({self.model!r}, method={self.method!r}, objectives={list(self.objectives)})"

    # ---- numbers in ----
    @property
    def parameters(self) -> "Numbers":
        """A mapping of the names in ``wrt`` to numbers; setting one counts from the next run or start on. Any other
        parameter of the model that is a number there may be set, too."""
        return Numbers(self)

    def set_parameters(self, values) -> None:
        """All of ``wrt``, in its order; or some of them in a mapping."""
        if isinstance(values, dict):
            for name, value in values.items():
                self.parameters[name] = value
            return
        self._numbers[:] = _convert.numbers(values, self._numbers.shape, "the parameters")
        self._do(lib.mbs_simulator_set_parameters, len(self._numbers), self._numbers_at)

    def renew(self) -> None:
        """The bits of the next run depend on its numbers alone, not on the runs before."""
        self._ask(lib.mbs_simulator_renew)

    # ---- whole runs ----
    def run(self, parameters=None, inputs=None, *, hold: float | None = None, progress=None) -> np.ndarray:
        """A run to the end; returns the values of the objectives, and ``gradient`` then has their gradients.

        - parameters: numbers for ``wrt``, in its order; or a mapping of some; None: as they are
        - inputs: rows of numbers for the model's inputs; row k is set at the time k ``hold`` (s, best a multiple of the
          step), and the last one holds until the end
        - progress: told the fraction done (with inputs the time) now and then; False from it stops the run
        """
        if parameters is not None:
            self.set_parameters(parameters)
        if inputs is not None:
            self._run_inputs(inputs, hold, progress)
            return self.values
        handle = self._enter()
        try:
            status = self._context.call(lib.mbs_simulator_run, handle, progress=progress)
            if status:
                raise self._failure(status, handle)
            return self._view(lib.mbs_simulator_values, handle, len(self.objectives)).copy()
        finally:
            self._lock.release()

    def _failure(self, status, handle):
        error = self._context.error(status)
        if error.kind == "numerical":
            error.result = self._result(handle)
        return error

    def _run_inputs(self, inputs, hold, progress):
        rows = _convert.numbers(inputs, (-1, len(self.inputs)), "the inputs (settings x inputs)")
        hold = float(_convert.numbers(hold if hold is not None else np.nan, (), "hold"))
        if not 0 < hold < np.inf:
            raise UsageError("inputs need hold, the time in s from one row to the next")
        self.start()
        row, steps = 0, 0
        while not self.is_over:
            # steps end on multiples of their size, up to rounding; where an event divides one, its parts do not
            if row < len(rows) and self.time >= row * hold * (1 - 1e-9):
                self.set_inputs(rows[row])
                row += 1
            self.step()
            steps += 1
            if progress is not None and steps % 64 == 0 and progress(self.time) is False:
                raise Interrupted(f"stopped at {self.time:.6g} s")
        self.finish()

    def _view(self, function, handle, *shape):
        """A view of the library's own numbers, made once for each place where they are."""
        address = function(handle)
        if not address:
            return None
        view = self._views.get(id(function))
        if view is None or view[0] != address or view[1].shape != shape:
            size = int(np.prod(shape))
            numbers = np.frombuffer((ctypes.c_double * max(1, size)).from_address(address))[:size].reshape(shape)
            self._views[id(function)] = view = (address, numbers)
        return view[1]

    def _copy(self, function, *shape):
        handle = self._enter()
        try:
            view = self._view(function, handle, *shape)
            return None if view is None else view.copy()
        finally:
            self._lock.release()

    @property
    def values(self) -> np.ndarray:
        """Of the objectives, after a run or `finish`."""
        return self._copy(lib.mbs_simulator_values, len(self.objectives))

    @property
    def gradient(self) -> np.ndarray | None:
        """Of the objectives by ``wrt`` (objectives x parameters), after a run or `finish`; None with method None."""
        return self._copy(lib.mbs_simulator_gradient, len(self.objectives), len(self.wrt))

    def jacobian(self, parameters=None) -> np.ndarray:
        """Runs, and returns the gradients of all objectives (objectives x parameters)."""
        self.run(parameters)
        return self._needed_gradient()

    def _needed_gradient(self):
        gradient = self.gradient
        if gradient is None:
            raise UsageError("there is no gradient: the simulation was made with method None")
        return gradient

    def jvp(self, tangent, parameters=None) -> np.ndarray:
        """Runs, and returns how the objectives change along a direction of the parameters: J tangent."""
        tangent = _convert.numbers(tangent, (len(self.wrt),), "the direction of the parameters")
        return self.jacobian(parameters) @ tangent

    def vjp(self, seed, parameters=None) -> np.ndarray:
        """Runs, and returns the gradient of the sum of the objectives weighted by seed: J' seed."""
        seed = _convert.numbers(seed, (len(self.objectives),), "the weights of the objectives")
        return seed @ self.jacobian(parameters)

    def function(self, objective: str | None = None) -> "Function":
        """The objective as a function of the parameters, with its gradient, for optimisers; None: all objectives."""
        return Function(self, objective)

    def result(self) -> Result:
        """All that a run tells: events, points, warnings, statistics, ...; it lives by itself."""
        handle = self._enter()
        try:
            return self._result(handle)
        finally:
            self._lock.release()

    def _result(self, handle):
        pointer = ctypes.POINTER(structs["MbsResult"])()
        self._context.check(lib.mbs_simulator_result(self._context.handle, handle, ctypes.byref(pointer)))
        return Result(pointer, self.history if self._recorder else None)

    @property
    def history(self) -> History:
        """Of the last run, or of the steps so far."""
        if self._recorder is None:
            raise UsageError("no histories are kept: make the simulation with history=True")
        return self._recorder.history

    # ---- step by step ----
    def start(self) -> None:
        """The state at the start; steps follow."""
        self._do(lib.mbs_simulator_start)

    def step(self) -> None:
        """One step."""
        handle = self._enter()
        try:
            status = lib.mbs_simulator_step(self._context.handle, handle)
            if status:
                raise self._failure(status, handle)
        finally:
            self._lock.release()

    def steps(self) -> Iterator[float]:
        """Starts, and takes a step each time round: ``for t in simulation.steps(): ...``"""
        self.start()
        while not self.is_over:
            self.step()
            yield self.time

    def finish(self) -> np.ndarray:
        """Values and gradients as if the run ended here; returns the values."""
        self._do(lib.mbs_simulator_finish)
        return self.values

    is_over = property(lambda self: self._ask(lib.mbs_simulator_is_over), doc="Is the end reached?")
    time = property(lambda self: self._ask(lib.mbs_simulator_time), doc="The present time.")
    step_size = property(lambda self: self._ask(lib.mbs_simulator_step_size), doc="Of the step that led there.")

    @property
    def state(self) -> State:
        """Positions, velocities and accelerations at the present time, in new arrays."""
        count = len(self.coordinates)
        numbers = np.empty((3, count))
        at = numbers.ctypes.data
        row = 8 * count
        self._do(lib.mbs_simulator_state, count, at, at + row, at + 2 * row)
        return State(self.time, numbers[0], numbers[1], numbers[2])

    def set_state(self, position, velocity, *, project: bool = False) -> None:
        """Goes on from another state, at the present time (method None). It must meet the constraints; project: the
        independent coordinates are taken from it, and all others follow."""
        count = len(self.coordinates)
        position = _convert.numbers(position, (count,), "the position")
        velocity = _convert.numbers(velocity, (count,), "the velocity")
        self._do(lib.mbs_simulator_set_state, count, position.ctypes.data, velocity.ctypes.data, bool(project))

    # ---- inputs and outputs ----
    def set_inputs(self, values) -> None:
        """The model's inputs, in the order of ``inputs``, from now on."""
        self._input_numbers[:] = _convert.numbers(values, self._input_numbers.shape, "the inputs")
        self._do(lib.mbs_simulator_set_inputs, len(self._input_numbers), self._inputs_at)

    @property
    def input_gradient(self) -> np.ndarray | None:
        """After an adjoint: derivatives of the objectives by every number that was set (objectives x settings x
        inputs); None: there are none."""
        handle = self._enter()
        try:
            settings = lib.mbs_simulator_setting_count(handle)
            return _convert.array(lib.mbs_simulator_input_gradient(handle), len(self.objectives), settings,
                                  len(self.inputs))
        finally:
            self._lock.release()

    def outputs(self) -> np.ndarray:
        """The model's outputs at the present state, in the order of ``output_names``."""
        count = len(self.output_names)
        numbers = np.empty(count)
        self._do(lib.mbs_simulator_outputs, count, numbers.ctypes.data, None)
        return numbers

    def output_slopes(self) -> np.ndarray:
        """Their derivatives by ``wrt`` (outputs x parameters), with method direct."""
        count = len(self.output_names)
        numbers, slopes = np.empty(count), np.empty((count, len(self.wrt)))
        self._do(lib.mbs_simulator_outputs, count, numbers.ctypes.data, slopes.ctypes.data)
        return slopes

    def output(self, name: str) -> float:
        """One of them."""
        value = ctypes.c_double()
        self._do(lib.mbs_simulator_output, _convert.to_bytes(name, "the name of an output"),
                 ctypes.cast(ctypes.byref(value), ctypes.c_void_p))
        return value.value

    # ---- there and back ----
    def save(self) -> "Saved":
        """Everything that a step changes; steps from there lead to the same bits."""
        place = self._free.pop() if self._free else ctypes.POINTER(structs["MbsSaved"])()
        self._do(lib.mbs_simulator_save, ctypes.byref(place))
        return Saved(self, place)

    def restore(self, saved: "Saved") -> None:
        """Back to where that was saved."""
        if not isinstance(saved, Saved) or saved._simulation is not self:
            raise UsageError("restore takes what save of the same simulation gave")
        self._do(lib.mbs_simulator_restore, saved._place)


class Saved:
    """What :meth:`Simulation.save` gives."""

    def __init__(self, simulation, place):
        self._simulation, self._place = simulation, place

    def __del__(self):  # its place can be used again
        self._simulation._free.append(self._place)


class Numbers(MutableMapping):
    """Parameters of a simulation by name."""

    def __init__(self, simulation: Simulation):
        self._simulation = simulation

    @property
    def array(self) -> np.ndarray:
        """In the order of ``wrt``."""
        return self._simulation._copy(lib.mbs_simulator_parameters, len(self._simulation.wrt))

    def __getitem__(self, name):
        if name not in self._simulation.wrt:
            raise KeyError(f"no parameter {name!r} of this simulation; it has {', '.join(self._simulation.wrt)}")
        return float(self.array[self._simulation.wrt.index(name)])

    def __setitem__(self, name, value):
        value = float(_convert.numbers(value, (), f"parameter {name!r}"))
        self._simulation._do(lib.mbs_simulator_set_parameter, _convert.to_bytes(name, "the name of a parameter"), value)

    def __delitem__(self, name):
        raise UsageError("parameters cannot be taken away from a simulation")

    def __iter__(self):
        return iter(self._simulation.wrt)

    def __len__(self):
        return len(self._simulation.wrt)

    def __repr__(self):
        return f"Numbers({dict(self)})"


class Function:
    """Objectives of a simulation as a function of its parameters, as optimisers want it.

    ``f(x)`` is the value of one objective, or the array of all; ``f.jac(x)`` its gradient, or the matrix of all. Both
    come from one run, which is kept until another x comes::

        f = simulation.function("psi1")
        scipy.optimize.minimize(f, f.x0, jac=f.jac)
    """

    def __init__(self, simulation: Simulation, objective: str | None = None):
        if objective is not None and not (isinstance(objective, str) and objective in simulation.objectives):
            raise UsageError(f"no objective {objective!r}; there are {', '.join(simulation.objectives)}")
        self.simulation = simulation
        self._row = ... if objective is None else simulation.objectives.index(objective)
        self._x = self._values = self._gradient = None
        self.x0: np.ndarray = simulation.parameters.array  # the parameters as they are now
        self.runs = 0

    def _at(self, x):
        if self._x is None or not np.array_equal(x, self._x):
            self._x = None
            self._values = self.simulation.run(x)
            self._gradient = self.simulation.gradient
            self._x = np.array(x, dtype=float)
            self.runs += 1

    def __call__(self, x):
        self._at(x)
        return float(self._values[self._row]) if self._row is not ... else self._values.copy()

    def jac(self, x):
        self._at(x)
        if self._gradient is None:
            raise UsageError("there is no gradient: the simulation was made with method None")
        return self._gradient[self._row].copy()
