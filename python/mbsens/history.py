"""Time histories: rows that a run hands out, in one array."""

from __future__ import annotations

import ctypes

import numpy as np

from . import _convert
from ._library import structs

_FIELDS = dict(structs["MbsRecorder"]._fields_)
_NUMBER = ctypes.sizeof(ctypes.c_double)


class History:
    """A table: ``names`` of the columns, ``data`` (rows x columns), ``units`` and ``descriptions`` (None: none).

    ``history["t"]`` is a column; an array of rows is ``history.data``. Rows are those of the settings ``columns``,
    ``every`` and ``sample``.
    """

    def __init__(self):
        self.names: tuple = ()
        self.units: tuple = ()
        self.descriptions: tuple = ()
        self._rows = np.zeros((0, 0))
        self._count = 0

    @property
    def data(self) -> np.ndarray:
        """A view, without a copy; it stays as it is when the next run begins."""
        return self._rows[: self._count]

    def __len__(self):
        return self._count

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.data[:, self.names.index(name)]
        except ValueError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}") from None

    def slopes(self, name: str, wrt) -> np.ndarray:
        """Derivatives of a column by parameters (rows x parameters); there with method direct."""
        listed = [wrt] if isinstance(wrt, str) else wrt
        return np.stack([self[f"d({name})/d({parameter})"] for parameter in listed], axis=1)

    def __contains__(self, name):
        return name in self.names

    def __repr__(self):
        return f"History({self._count} rows: {', '.join(self.names)})"

    def to_frame(self):
        """A pandas DataFrame with the time for its index."""
        import pandas

        return pandas.DataFrame(self.data, columns=list(self.names)).set_index(self.names[0])

    def plot(self, columns=None, **options):
        """Plots columns over time with matplotlib, and returns the axes: see :func:`mbsens.plot.history`."""
        from . import plot

        return plot.history(self, columns, **options)


class Recorder:
    """Fills a history from the rows of a run. Keep it as long as the library knows its ``struct``."""

    def __init__(self):
        self.history = History()
        self._names, self._units, self._descriptions = (), (), ()
        self._address = self._row_bytes = 0
        self.error = None
        self.struct = structs["MbsRecorder"](
            user=None,
            describe=_FIELDS["describe"](self._describe),
            begin=_FIELDS["begin"](self._begin),
            row=_FIELDS["row"](self._row),
        )

    def _describe(self, user, count, units, descriptions):
        self._units = tuple(_convert.text(units[i]) for i in range(count))
        self._descriptions = tuple(_convert.text(descriptions[i]) for i in range(count))
        return 0

    def _begin(self, user, count, names):
        history = self.history = History()
        history.names = _convert.names(names, count)
        history.units = self._units if len(self._units) == count else (None,) * count
        history.descriptions = self._descriptions if len(self._descriptions) == count else (None,) * count
        self._row_bytes = count * _NUMBER
        self._room(256)
        return 0

    def _room(self, rows):
        history = self.history
        grown = np.empty((rows, len(history.names)))
        grown[: history._count] = history.data.reshape(history._count, len(history.names))
        history._rows = grown
        self._address = grown.ctypes.data

    def _row(self, user, values):
        history = self.history
        count = history._count
        if count == len(history._rows):
            self._room(2 * count)
        ctypes.memmove(self._address + count * self._row_bytes, values, self._row_bytes)
        history._count = count + 1
        return 0
