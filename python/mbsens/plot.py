"""Plots of results with matplotlib."""

from __future__ import annotations

from fnmatch import fnmatchcase

from .errors import UsageError


def history(table, columns=None, *, axes=None, file=None, title=None):
    """Plots columns of a history over time: one diagram for each unit, below each other. Returns the axes.

    - columns: names, or patterns with ``*``, one or a list; None: all
    - axes: where to draw, one for all columns, or as many as units
    - file: also saves the figure there
    """
    import matplotlib.pyplot as pyplot
    import numpy

    wanted = ["*"] if columns is None else [columns] if isinstance(columns, str) else list(columns)
    chosen = [i for i, name in enumerate(table.names) if i and any(name == w or fnmatchcase(name, w) for w in wanted)]
    if not chosen:
        raise UsageError(f"no column is called {', '.join(wanted)}; there are {', '.join(table.names)}")
    units = list(dict.fromkeys(table.units[i] for i in chosen))
    if axes is None:
        _, axes = pyplot.subplots(len(units), 1, sharex=True, squeeze=False, figsize=(8, 1.5 + 2.5 * len(units)),
                                  layout="constrained")
    axes = numpy.ravel(axes)
    if len(axes) not in (1, len(units)):
        raise UsageError(f"the columns have {len(units)} units, and there are {len(axes)} axes")
    time = table.data[:, 0]
    for i in chosen:
        there = axes[units.index(table.units[i]) if len(axes) > 1 else 0]
        there.plot(time, table.data[:, i], label=table.names[i])
    for k, there in enumerate(axes):
        there.set_ylabel(units[k] or "" if len(axes) > 1 or len(units) == 1 else "")
        there.legend(loc="best", fontsize="small")
        there.grid(True, alpha=0.3)
    axes[-1].set_xlabel("t / s")
    if title:
        axes[0].set_title(title)
    if file is not None:
        axes[0].figure.savefig(file)
    return axes
