"""Models: read from files, texts and mappings, or built by calls; and what is asked of them in one go."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import tempfile
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Iterator, Mapping

import numpy as np

from . import _command, _convert, optimization
from ._build import Builder
from ._context import context
from ._library import lib, structs
from ._request import Request
from .errors import UsageError
from .equilibria import Equilibria
from .hessian import Hessian
from .identification import Identification
from .history import Recorder
from .linear import Linearization
from .optimization import Optimum
from .result import Result

if TYPE_CHECKING:
    from .simulation import Simulation
    from .sweep import Sweep


class Model(Builder):
    """A mechanism in the plane (``dimension`` 2) or in space (3).

    ``Model.from_file("models/pendulum.yaml")``, ``Model.from_text``, ``Model.from_dict``; or ``Model("pendulum")`` and
    calls that add to it. It is not changed by runs, and several threads may run it at once.
    """

    def __init__(self, name: str = "model", dimension: int = 2):
        if isinstance(dimension, bool) or not isinstance(dimension, (int, np.integer)):
            raise UsageError(f"the dimension must be 2 or 3, got {dimension!r}")
        self._begin()
        context().check(
            lib.mbs_model_create(
                context().handle, _convert.to_bytes(name, "the name of the model"), int(dimension),
                ctypes.byref(self._handle),
            )
        )

    def _begin(self):
        self._handle = ctypes.POINTER(structs["MbsModel"])()
        self._contents = None
        self._functions = {}
        self._users: list = []  # runs under way, and what holds it; appending and popping are whole in any thread

    @classmethod
    def _read(cls, function, *arguments) -> "Model":
        model = cls.__new__(cls)
        model._begin()
        context().check(function(context().handle, *arguments, ctypes.byref(model._handle)))
        return model

    @classmethod
    def from_file(cls, path: str | os.PathLike) -> "Model":
        """Reads a model file."""
        return cls._read(lib.mbs_model_read_file, _convert.to_bytes(os.fspath(path), "the path of a model"))

    @classmethod
    def from_text(cls, text: str, name: str = "model") -> "Model":
        """Reads the text of a model file; ``name`` stands for the file in messages."""
        if not isinstance(text, str):
            raise UsageError(f"the text of a model must be a str, got {type(text).__name__}")
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise UsageError("the text of the model cannot be written in UTF-8") from None
        return cls._read(lib.mbs_model_read_text, data, len(data), _convert.to_bytes(name, "the name"))

    @classmethod
    def from_dict(cls, sections: Mapping, name: str = "model") -> "Model":
        """Takes what a model file would have, as mappings, lists, numbers and texts; `mbsens: 1` may be left out."""
        if not isinstance(sections, Mapping):
            raise UsageError(f"a model must be a mapping of sections, got {type(sections).__name__}")
        return cls.from_text(json.dumps({"mbsens": 1, **_plain(sections, "model")}, ensure_ascii=False), name)

    # ---- its life ----
    @property
    def _open(self):
        if not self._handle:
            raise UsageError("the model is closed")
        return self._handle

    def close(self) -> None:
        """Gives its memory back; simulations of it must be closed first. Happens by itself when nobody needs it."""
        handle, self._handle = self._handle, None
        if self._users:
            self._handle = handle
            raise UsageError("the model is in use by a simulation or a run: close that first")
        if handle:
            lib.mbs_model_destroy(handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.mbs_model_destroy(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        return Model.from_text, (self.to_yaml(), self.name)

    def copy(self) -> "Model":
        made = Model.from_text(self.to_yaml(), self.name)
        for name, function in self._functions.items():
            made._call(lib.mbs_model_set_function, name.encode(), ctypes.byref(function))
            made._functions[name] = function
        return made

    def __repr__(self):
        return f"Model({self.name!r}, dimension={self.dimension})" if self._handle else "Model(closed)"

    def _hold(self):
        """The handle, which nobody changes or closes until `_release`."""
        self._users.append(None)
        if not self._handle:
            self._release()
            raise UsageError("the model is closed")
        return self._handle

    def _release(self):
        self._users.pop()

    @contextlib.contextmanager
    def _in_use(self):
        handle = self._hold()
        try:
            yield handle
        finally:
            self._release()

    # ---- what it has ----
    def _call(self, function, *arguments):
        if self._users:
            raise UsageError("the model is in use by a simulation or a run, and cannot be changed: close that first, "
                             "or change a copy()")
        self._contents = None
        context().check(function(context().handle, self._open, *arguments))

    def contents(self) -> _convert.Record:
        """Names: name, dimension, parameters, objectives, inputs, outputs, bodies, joints, forces, events; and the
        values of parameters."""
        if self._contents is None or not self._handle:
            pointer = ctypes.POINTER(structs["MbsContents"])()
            context().check(lib.mbs_contents_create(context().handle, self._open, ctypes.byref(pointer)))
            try:
                told = pointer.contents
                listed = {
                    f"{what}s": _convert.names(getattr(told, "bodies" if what == "bodie" else what + "s"),
                                               getattr(told, ("body" if what == "bodie" else what) + "_count"))
                    for what in ("parameter", "objective", "input", "output", "bodie", "joint", "force", "event")
                }
                count = told.parameter_count
                values = _convert.array(told.parameter_values, count)
                self._contents = _convert.Record(
                    name=_convert.text(told.name), dimension=told.dimension, **listed,
                    parameter_values=values if values is not None else np.zeros(0),
                    is_derived=tuple(told.is_derived[:count]) if count else (),
                )
            finally:
                lib.mbs_contents_destroy(pointer)
        return self._contents

    name = property(lambda self: self.contents().name)
    dimension = property(lambda self: self.contents().dimension)
    objectives = property(lambda self: self.contents().objectives)
    inputs = property(lambda self: self.contents().inputs)
    outputs = property(lambda self: self.contents().outputs)
    bodies = property(lambda self: self.contents().bodies)
    joints = property(lambda self: self.contents().joints)
    forces = property(lambda self: self.contents().forces)
    events = property(lambda self: self.contents().events)

    @property
    def parameters(self) -> "Parameters":
        """A mapping of names to values; ``model.parameters["m"] = 2`` or ``= "2*rho"`` gives another one."""
        return Parameters(self)

    def to_yaml(self) -> str:
        """The text of a model file with this model; templates and includes are written as what they became."""
        address = ctypes.c_void_p()
        context().check(lib.mbs_model_write(context().handle, self._open, ctypes.byref(address)))
        try:
            return ctypes.string_at(address).decode()
        finally:
            lib.mbs_text_destroy(address)

    def save(self, path: str | os.PathLike) -> None:
        """Writes that text to a file."""
        text = self.to_yaml()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    # ---- what is asked of it ----
    def run(self, method: str | None = None, *, objectives=None, wrt=None, history: bool = False, progress=None,
            **settings) -> Result:
        """One run, with any method: none, direct, adjoint, adjoint-continuous, complex-step, finite-difference, ...

        - objectives, wrt: names of objectives and parameters, one or a list; None: all
        - history: keep time histories, in ``result.history``
        - progress: told the fraction done now and then; False from it stops the run
        - settings: as in the section `simulation` of a model file (end, step, formulation, coordinates, ...)
        """
        here = context()
        recorder = Recorder() if _convert.flag(history, "history") else None
        request = Request(here, self._open, {"method": _convert.method_name(method), **settings}, objectives=objectives,
                          parameters=wrt, recorder=recorder.struct if recorder else None)
        pointer = ctypes.POINTER(structs["MbsResult"])()
        with self._in_use() as handle:
            status = here.call(lib.mbs_run, handle, request.handle, ctypes.byref(pointer), progress=progress)
        result = Result(pointer, recorder.history if recorder else None) if pointer else None
        if status:
            error = here.error(status)
            error.result = result
            raise error
        return result

    def simulate(self, **options) -> Result:
        """A run without gradients, with reactions at the end: see :meth:`run`."""
        return self.run("none", **options)

    def gradient(self, objectives=None, wrt=None, *, method: str = "direct", **options) -> Result:
        """A run with gradients: see :meth:`run`."""
        return self.run(method, objectives=objectives, wrt=wrt, **options)

    def equilibrium(self, objectives=None, wrt=None, *, method: str = "direct", **options) -> Result:
        """Where all forces balance, or the steady motion of the start's rates: a result whose ``equilibrium`` tells of it,
        with points, reactions and objectives there and, unless the method is "none", exact gradients. Objectives are
        those of the model that say ``equilibrium``. Options: as of :meth:`run`."""
        return self.run(method, objectives=objectives, wrt=wrt, equilibrium=True, **options)

    def equilibria(self, parameter: str, values, objectives=None, wrt=None, *, method: str = "direct",
                   **settings) -> Equilibria:
        """The equilibrium followed while one number of the model changes: a load, what a driver holds. Where the branch
        ends early, at a limit point for instance, what was found before is given, and why."""
        return Equilibria(self, parameter, values, objectives, wrt, method=method, **settings)

    def linearize(self, *, time: float = 0.0, inputs=None, wrt=None, gradients: bool = True, **settings) -> Linearization:
        """The motion near one state in first order: A, B, C, D, modes, and their derivatives.

        - time: of the state, along a run, in s; 0: the start, which is the equilibrium where the model starts there
        - inputs: names of inputs of the model, or of parameters; None: all inputs of the model
        - wrt, gradients: parameters of the derivatives, None: all; False: no derivatives, which cost the most
        """
        return Linearization(self, time=time, inputs=inputs, wrt=wrt, gradients=gradients, **settings)

    def hessian(self, objectives=None, wrt=None, directions=None, **settings) -> Hessian:
        """Second derivatives of objectives by parameters, exact, through events too: the adjoint in complex arithmetic.

        - directions: directions x parameters, in the order of ``wrt``: only the products of the Hessians with these;
          None: the Hessians, one product for each parameter
        """
        return Hessian(self, objectives, wrt, directions, **settings)

    def identify(self, data=None, outputs=None, *, sigma=None, wrt=None, confidence: float = 0.95,
                 **settings) -> Identification:
        """Parameters from measurements: least squares on exact sensitivities, with intervals of confidence.

        - data: a mapping of arrays, ``{"t": times, "x": values}``, where nan is missing; or a file of comma-separated
          values, or several, each a run of its own; None: the files that the model's section identification names
        - outputs: which outputs of the model were measured, or a mapping of outputs to columns; None: all that are called
          alike
        - sigma: standard deviation of a measurement, of all or by output; None: estimated
        - wrt: parameters to find, between their bounds; None: those of the section, or with bounds, or all
        """
        return Identification(self, data, outputs, sigma, wrt, confidence, **settings)

    def optimize(self, objectives=None, wrt=None, *, maximize: bool = False, bounds=None, constraints=None, search=None,
                 method: str | None = None, state=None, on_iterate=None, **settings) -> Optimum:
        """Better parameters: objectives as small, or as large, as bounds and constraints allow. The model itself stays.

        - objectives, wrt: what is minimised, and parameters that may change; None: what the section optimization says
        - bounds: {"k": (10, None)}, beside those of the model; constraints: [{"objective": "travel", "below": 0.1}]
        - search: keys of that section: {"algorithm": "slsqp", "starts": 5, "tolerance": 1e-6, "evaluations": 100}
        - method: of the gradients; None: direct or adjoint, what costs less
        - state: a file from which a search that was stopped goes on
        - on_iterate: told of each better design (start, iteration, parameters, value, ...); False from it stops
        """
        model = optimization.prepared(self, bounds, constraints, search)
        return Optimum(model, objectives, wrt, maximize=maximize, method=method, state=state, on_iterate=on_iterate,
                       **settings)

    def sweep(self, samples, objectives=None, wrt=None, *, method: str | None = "direct", threads: int = 1, progress=None,
              **settings) -> Sweep:
        """A run of each sample, the same bits for any number of threads.

        - samples: {"m": [1, 2, 3], "k": [10, 20, 10]}: as many numbers of each parameter
        - method: of gradients; None: values alone
        - progress: told the fraction done; False from it ends the sweep, what is missing then is nan
        """
        from .sweep import Sweep

        return Sweep(self, samples, objectives, wrt, method=method, threads=threads, progress=progress, **settings)

    def report(self, path=None, **options) -> _command.Report:
        """A page with the mechanism in motion, plots and sensitivities (docs/reports.md), by the command mbsens. It shows
        itself in notebooks; path: it is also written there. Options are those of `mbsens report`: end=2, wrt=["k"]."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "report.html")
            _command.run_model("report", self, options, "-o", file)
            with open(file, encoding="utf-8") as page:
                report = _command.Report(page.read())
        if path is not None:
            report.save(path)
        return report

    def study(self, vary: Mapping, **options) -> list:
        """Every combination of settings, by the command mbsens: ``study({"formulation": ["ali3p", "index1"], "step": [1e-2,
        1e-3]}, wrt=["k"])``. A list of mappings: settings, objectives with value, error, order and gradient, steps, seconds."""
        if not isinstance(vary, Mapping):
            raise UsageError(f"vary must be a mapping of settings to lists, got {type(vary).__name__}")
        words = [word for name, values in vary.items()
                 for word in ("--vary", f"{name}={','.join(_convert.texts(values, name))}")]
        return json.loads(_command.run_model("study", self, {"json": True, **options}, *words))["runs"]

    def simulation(self, **options) -> Simulation:
        """The model compiled, to run or step many times: see :class:`mbsens.Simulation`."""
        from .simulation import Simulation

        return Simulation(self, **options)


class Parameters(MutableMapping):
    """Parameters of a model by name. All are there, those that are expressions of others too (``derived``)."""

    def __init__(self, model: Model):
        self._model = model

    def __getitem__(self, name: str) -> float:
        contents = self._model.contents()
        if name not in contents.parameters:
            raise KeyError(f"no parameter {name!r}; there are {', '.join(contents.parameters)}")
        return float(contents.parameter_values[contents.parameters.index(name)])

    def __setitem__(self, name: str, value) -> None:
        text = _convert.number_text(value, f'parameter "{name}"')
        self._model._call(lib.mbs_model_set, _convert.to_bytes(name, "the name of a parameter"),
                          _convert.to_bytes(text, f'parameter "{name}"'))

    def __delitem__(self, name):
        raise UsageError("parameters cannot be taken away from a model")

    def __iter__(self) -> Iterator[str]:
        return iter(self._model.contents().parameters)

    def __len__(self):
        return len(self._model.contents().parameters)

    @property
    def derived(self) -> tuple:
        """Names of those that are expressions of others."""
        contents = self._model.contents()
        return tuple(name for name, is_derived in zip(contents.parameters, contents.is_derived) if is_derived)

    def __repr__(self):
        return f"Parameters({dict(self)})"


def _plain(value, what):
    """The same in mappings, lists, texts and numbers that JSON, which is YAML, can write."""
    if isinstance(value, Mapping):
        return {_key(key, what): _plain(item, f"{what}: {key}") for key, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item, what) for item in value]
    if value is None:
        raise UsageError(f"{what} must not be None: leave it out")
    return _convert.number_text(value, what)


def _key(key, what):
    if not isinstance(key, str):
        raise UsageError(f"{what}: keys must be texts, got {key!r}")
    return key
