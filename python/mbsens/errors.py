"""Exceptions: one for each kind of failure of the library, all of them :class:`Error`."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional


class Place(NamedTuple):
    """Where in a model file something is wrong."""

    file: str
    line: int
    column: int

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column}"


class Error(Exception):
    """Something failed; the message says what, and names the element and the number.

    - ``kind``: "input", "not offered", "file", "numerical", "memory", "internal", "interrupted", "usage"
    - ``place``: where in the model file, a :class:`Place`, or None
    - ``messages``: a model may be wrong in several places: all that were told, the first one first
    - ``result``: of a run that failed numerically on the way: what there was before, a ``Result``; else None
    """

    kind = "usage"

    def __init__(self, message: str, messages: Optional[list[str]] = None):
        super().__init__(message)
        self.messages = messages or [message]
        self.place = _place(message)
        self.result = None

    def __reduce__(self):  # results stay where they are
        return type(self), (str(self), self.messages)


class InputError(Error, ValueError):
    """The input is wrong: a model, a name, a number."""

    kind = "input"


class NotOfferedError(Error):
    """What is asked for is not offered; never answered with a zero instead."""

    kind = "not offered"


class FileError(Error):
    """A file cannot be read or written."""

    kind = "file"


class NumericalError(Error, ArithmeticError):
    """The run failed numerically: the message has step, time and what to try, ``result`` what there was before."""

    kind = "numerical"


class OutOfMemoryError(Error, MemoryError):
    kind = "memory"


class InternalError(Error, RuntimeError):
    """mbsens is broken: please report this, with the model."""

    kind = "internal"


class Interrupted(Error):
    """The function that is told of the progress stopped the run. (Ctrl-C raises KeyboardInterrupt.)"""

    kind = "interrupted"


class UsageError(Error, ValueError):
    """Wrong shapes and types, closed objects, objects that another thread is using."""


class LibraryError(Error, ImportError):
    """The library is not there, or of another version."""

    kind = "library"

    def __init__(self, message):
        Error.__init__(self, message)


# by the name of the status in mbsens/status.h
BY_STATUS = {
    "ERROR_INPUT": InputError,
    "ERROR_NOT_OFFERED": NotOfferedError,
    "ERROR_FILE": FileError,
    "ERROR_NUMERICAL": NumericalError,
    "ERROR_MEMORY": OutOfMemoryError,
    "ERROR_INTERNAL": InternalError,
    "ERROR_INTERRUPTED": Interrupted,
}


def _place(message):
    found = re.match(r"(.*?):(\d+):(\d+): ", message)
    return Place(found.group(1), int(found.group(2)), int(found.group(3))) if found else None
