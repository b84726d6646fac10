"""Parameters from measurements, with intervals of confidence."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from . import _convert
from ._context import context
from ._library import lib, structs
from ._request import Request
from .errors import UsageError


class Identification:
    """Made by :meth:`mbsens.Model.identify`. What is not known is nan (docs/identification.md).

    - success, message; parameters, start, standard_errors (names with values); intervals (names with (lower, upper))
    - covariance, correlation: parameters x parameters; condition
    - value: sum of squares, each residual over its sigma; sigmas of the outputs; chance
    - undetermined: sentences on what the data do not tell apart; warnings
    - iterations, evaluations
    """

    def __init__(self, model, data, outputs=None, sigma=None, wrt=None, confidence=0.95, **settings):
        here = context()
        wanted, columns = _outputs(data, outputs)
        sigmas = _sigmas(wanted, sigma)
        if isinstance(data, Mapping):
            request = Request(here, model._open, settings, parameters=wrt)
            kept, experiment = _experiment(data, wanted, columns, sigmas)
            self._find(here, model, request, 1, ctypes.pointer(experiment), confidence)
            return
        request = Request(here, model._open, settings)
        if data is not None and not isinstance(data, (str, list, tuple)) and not hasattr(data, "__fspath__"):
            raise UsageError(f"data must be a mapping of arrays, or a file or several, got {type(data).__name__}")
        files = [data] if isinstance(data, str) or hasattr(data, "__fspath__") else list(data or [])
        names = [_convert.to_bytes(str(file), "the name of a file") for file in files]
        options = structs["MbsMeasuredOptions"]()
        options.file_count, options.files = len(names), _convert.char_array(names)
        options.output_count = len(wanted)
        if wanted:
            options.outputs, options.columns = _convert.char_array(wanted), _convert.char_array(columns)
            options.sigmas = (ctypes.c_double * len(wanted))(*sigmas)
        elif sigma is not None:
            raise UsageError("sigma of data from files needs outputs, to say whose it is")
        measured = ctypes.POINTER(structs["MbsMeasured"])()
        here.check(lib.mbs_measured_read(here.handle, model._open, request.handle, ctypes.byref(options),
                                         ctypes.byref(measured)))
        try:
            told = measured.contents
            chosen = _convert.names(told.parameters, told.parameter_count) if wrt is None else wrt
            request = Request(here, model._open, settings, parameters=chosen or None)
            self._find(here, model, request, told.experiment_count, told.experiments, confidence)
        finally:
            lib.mbs_measured_destroy(measured)

    def _find(self, here, model, request, count, experiments, confidence):
        definition = lib.mbs_default_identify_def()
        definition.experiment_count, definition.experiments = count, experiments
        definition.confidence = float(_convert.numbers(confidence, (), "confidence"))
        pointer = ctypes.POINTER(structs["MbsIdentification"])()
        with model._in_use() as handle:
            status = here.call(lib.mbs_identify, handle, request.handle, ctypes.byref(definition),
                               ctypes.byref(pointer))
        here.check(status)
        try:
            self._take(pointer.contents)
        finally:
            lib.mbs_identification_destroy(pointer)

    def _take(self, told):
        count = told.parameter_count
        names = _convert.names(told.parameters, count)

        def named(pointer):
            return dict(zip(names, map(float, _convert.array(pointer, count))))

        self.model, self.message, self.success = _convert.text(told.model), _convert.text(told.message), told.is_found
        self.parameters, self.start = named(told.parameter_values), named(told.start_values)
        self.standard_errors = named(told.standard_errors)
        lower, upper = named(told.lower), named(told.upper)
        self.intervals = {name: (lower[name], upper[name]) for name in names}
        self.covariance = _convert.array(told.covariance, count, count)
        self.correlation = _convert.array(told.correlation, count, count)
        self.condition, self.value, self.chance = told.condition, told.value, told.chance
        self.sigmas = {_convert.text(fit.output): fit.sigma for fit in told.fits[:told.fit_count]}
        self.undetermined = tuple(_convert.text(told.undetermined[i].sentence) for i in range(told.undetermined_count))
        self.warnings = _convert.names(told.warnings, told.warning_count)
        self.iterations, self.evaluations = told.iterations, told.evaluations

    def __repr__(self):
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.parameters.items())
        return f"Identification({self.model!r}, {numbers}{'' if self.success else ', not found'})"


def _outputs(data, outputs):
    """Names of outputs, and of the columns that they are in."""
    if isinstance(outputs, str):
        outputs = [outputs]
    if outputs is not None and not isinstance(outputs, (Mapping, list, tuple)):
        raise UsageError(f"outputs must be names, or a mapping of names to columns, got {type(outputs).__name__}")
    if outputs is None:
        outputs = [name for name in data if name != "t"] if isinstance(data, Mapping) else []
    pairs = outputs.items() if isinstance(outputs, Mapping) else [(name, name) for name in outputs]
    pairs = [(_convert.to_bytes(output, "an output"), _convert.to_bytes(column, "a column")) for output, column in pairs]
    return [output for output, _ in pairs], [column for _, column in pairs]


def _sigmas(wanted, sigma):
    if sigma is None:
        return [0.0] * len(wanted)
    if not isinstance(sigma, Mapping):
        return [float(_convert.numbers(sigma, (), "sigma"))] * len(wanted)
    unknown = set(sigma) - {name.decode() for name in wanted}
    if unknown:
        raise UsageError(f"sigma of {', '.join(sorted(unknown))}, which was not measured")
    return [float(_convert.numbers(sigma.get(name.decode(), 0), (), "sigma")) for name in wanted]


def _experiment(data, wanted, columns, sigmas):
    """What was measured, as a struct, and what must live as long as it."""
    if "t" not in data:
        raise UsageError(f'the times "t" are missing in the data; there are {", ".join(map(str, data))}')
    times = np.ascontiguousarray(_convert.numbers(data["t"], (-1,), "the times"))
    address = ctypes.POINTER(ctypes.c_double)
    measurements = (structs["MbsMeasurement"] * max(len(wanted), 1))()
    kept = [times, measurements]
    for measurement, output, column, sigma in zip(measurements, wanted, columns, sigmas):
        if column.decode() not in data:
            raise UsageError(f'no "{column.decode()}" in the data; there are {", ".join(map(str, data))}')
        values = np.ascontiguousarray(_convert.numbers(data[column.decode()], (-1,), f'"{column.decode()}"'))
        if len(values) != len(times):
            raise UsageError(f'"{column.decode()}" has {len(values)} values, and there are {len(times)} times')
        kept.append(values)
        measurement.column, measurement.output, measurement.sigma = column, output, sigma
        measurement.values = values.ctypes.data_as(address)
    experiment = structs["MbsExperiment"]()
    experiment.name, experiment.row_count, experiment.times = b"data", len(times), times.ctypes.data_as(address)
    experiment.measurement_count = len(wanted)
    experiment.measurements = ctypes.cast(measurements, ctypes.POINTER(structs["MbsMeasurement"]))
    return kept, experiment
