"""Between Python and C: texts, names, arrays and structs."""

from __future__ import annotations

import ctypes
import math
from typing import Mapping, Sequence

import numpy as np

from .errors import UsageError


# ---- from C ----
def text(value):
    return None if value is None else value.decode(errors="replace")


def names(pointer, count: int) -> tuple:
    return tuple(pointer[i].decode(errors="replace") for i in range(count))


def array(pointer, *shape) -> np.ndarray | None:
    """A copy of numbers behind a pointer or an address; None where that is NULL."""
    if not pointer:
        return None
    size = math.prod(shape)
    if size == 0:
        return np.zeros(shape)
    address = pointer if isinstance(pointer, int) else ctypes.addressof(pointer.contents)
    return np.frombuffer((ctypes.c_double * size).from_address(address)).reshape(shape).copy()


class Record:
    """What a struct of the library holds, as attributes."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.__dict__.items())})"

    def __eq__(self, other):
        return isinstance(other, Record) and repr(self) == repr(other)


def record(struct, **more) -> Record:
    """Numbers, texts, arrays and structs in it; what is behind pointers is the caller's to give."""
    values = {}
    for name, kind in struct._fields_:
        value = getattr(struct, name)
        if kind is ctypes.c_char_p:
            values[name] = text(value)
        elif issubclass(kind, ctypes.Structure):
            values[name] = record(value)
        elif issubclass(kind, ctypes.Array):
            values[name] = np.array(value)
        elif not issubclass(kind, ctypes._Pointer):
            values[name] = value
    values.update(more)
    return Record(**values)


# ---- to C ----
_DOUBLE = np.dtype(np.float64)


def to_bytes(value, what: str) -> bytes:
    if not isinstance(value, str):
        raise UsageError(f"{what} must be a text, got {type(value).__name__}")
    if "\0" in value:
        raise UsageError(f"{what} has a zero byte in it")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} cannot be written in UTF-8") from None


def number_text(value, what: str) -> str:
    """The text of a number or expression; a number reads back as exactly the same double."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.ndim == 0):
        number = float(value)
        if not math.isfinite(number):
            raise UsageError(f"{what} must be a finite number, got {number}")
        return repr(number)
    raise UsageError(f"{what} must be a number or an expression in a text, got {type(value).__name__}")


def flag(value, what: str) -> bool:
    """Yes or no."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise UsageError(f"{what} must be True or False, got {type(value).__name__}")


def method_name(value) -> str:
    """That of a method; None: "none"."""
    if value is None or isinstance(value, str):
        return value or "none"
    raise UsageError(f"the method must be a name or None, got {type(value).__name__}")


def texts(value, what: str) -> list[str]:
    """The texts of a field: one, or those of a list; rows of numbers one after another."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        return [number_text(value, what)]
    if value and all(isinstance(item, (Sequence, np.ndarray)) and not isinstance(item, str) for item in value):
        return ["; ".join(", ".join(texts(row, what)) for row in value)]
    return [number_text(item, what) for item in value]


def name_list(value, what: str, may_be_empty: bool = False) -> list[bytes] | None:
    """Names, or one name; None: all."""
    if value is None:
        return None
    try:
        listed = [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise UsageError(f"{what} must be a name or a list of names, got {type(value).__name__}") from None
    if not listed and not may_be_empty:
        raise UsageError(f"{what}: the list is empty; None stands for all")
    return [to_bytes(name, f"the name of {what}") for name in listed]


def char_array(listed: list[bytes]):
    return (ctypes.c_char_p * max(1, len(listed)))(*listed)


def numbers(value, shape, what: str) -> np.ndarray:
    """An array of doubles of this shape (-1: any length), contiguous; the caller's own where it is one already."""
    if type(value) is np.ndarray and value.shape == shape and value.dtype == _DOUBLE and value.flags.c_contiguous:
        return value  # mostly
    if isinstance(value, Mapping):
        raise UsageError(f"{what} must be an array, got a mapping")
    try:
        made = np.asarray(value)
    except ValueError:
        raise UsageError(f"{what} must be an array of numbers of one shape") from None
    if made.dtype != np.float64:
        if made.dtype.kind not in "fiu":
            raise UsageError(f"{what} must be real numbers, got {made.dtype}")
        made = made.astype(np.float64)
    if len(made.shape) != len(shape) or any(want not in (-1, got) for want, got in zip(shape, made.shape)):
        wanted = "x".join("n" if size < 0 else str(size) for size in shape) or "one number"
        got = "x".join(map(str, made.shape)) or "one number"
        raise UsageError(f"{what} must have the shape {wanted}, got {got}")
    return np.ascontiguousarray(made)
