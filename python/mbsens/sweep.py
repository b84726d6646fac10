"""Many runs with other numbers, by several threads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _convert
from .errors import InputError, NumericalError, UsageError
from .simulation import Simulation


class Sweep:
    """Made by :meth:`mbsens.Model.sweep`. Samples that failed have nan, and a sentence in ``failures``, by number.

    - parameters (names), samples (samples x parameters); objectives, values (samples x objectives)
    - wrt, gradient (samples x objectives x wrt), None: values alone
    """

    def __init__(self, model, samples, objectives=None, wrt=None, *, method="direct", threads=1, progress=None, **settings):
        self.parameters, self.samples = _table(samples)
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
            raise UsageError(f"threads must be a whole number of at least 1, got {threads!r}")
        count = len(self.samples)
        self.failures: dict = {}
        lock, taken, done = threading.Lock(), iter(range(count)), [0]
        simulations = [Simulation(model, method=method, objectives=objectives, wrt=wrt, **settings)
                       for _ in range(min(threads, max(count, 1)))]
        try:
            first = simulations[0]
            for name, value in zip(self.parameters, self.samples[0] if count else ()):
                first.parameters[name] = value  # names that cannot be set are found before anything runs
            self.objectives, self.wrt = first.objectives, first.wrt
            self.values = np.full((count, len(self.objectives)), np.nan)
            self.gradient = np.full((count, len(self.objectives), len(self.wrt)), np.nan) if method else None
            stop = threading.Event()

            def work(simulation):
                while not stop.is_set():
                    with lock:
                        sample = next(taken, None)
                    if sample is None:
                        return
                    self._run(simulation, sample)
                    with lock:
                        done[0] += 1
                        if progress is not None and progress(done[0] / count) is False:
                            stop.set()

            if len(simulations) == 1:
                work(first)
            else:
                with ThreadPoolExecutor(len(simulations)) as pool:
                    try:
                        for future in [pool.submit(work, simulation) for simulation in simulations]:
                            future.result()
                    except BaseException:  # ctrl-C among them: no sample is begun any more
                        stop.set()
                        raise
        finally:
            for simulation in simulations:
                simulation.close()

    def _run(self, simulation, sample):
        simulation.renew()  # so that the bits do not depend on which thread ran what before
        try:
            for name, value in zip(self.parameters, self.samples[sample]):
                simulation.parameters[name] = value
            self.values[sample] = simulation.run()
            if self.gradient is not None:
                self.gradient[sample] = simulation.gradient
        except (InputError, NumericalError) as error:
            self.values[sample] = np.nan
            self.failures[sample] = str(error)

    def to_frame(self):
        """A pandas DataFrame: a row for each sample, its parameters, values, and derivatives as d(objective)/d(parameter)."""
        import pandas

        columns = {name: self.samples[:, i] for i, name in enumerate(self.parameters)}
        columns.update((name, self.values[:, i]) for i, name in enumerate(self.objectives))
        if self.gradient is not None:
            columns.update((f"d({objective})/d({parameter})", self.gradient[:, i, j])
                           for i, objective in enumerate(self.objectives) for j, parameter in enumerate(self.wrt))
        return pandas.DataFrame(columns)

    def __repr__(self):
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"Sweep({len(self.samples)} samples of {', '.join(self.parameters)}{failed})"


def _table(samples):
    if not isinstance(samples, Mapping) or not samples:
        raise UsageError("samples must be a mapping of parameters to as many numbers each")
    columns = {name: _convert.numbers(np.atleast_1d(numbers), (-1,), f'the samples of "{name}"')
               for name, numbers in samples.items()}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise UsageError("samples must be as many of each parameter, got " +
                         ", ".join(f'{len(column)} of "{name}"' for name, column in columns.items()))
    return tuple(columns), np.stack(list(columns.values()), axis=1)
