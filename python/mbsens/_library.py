"""The shared library: found, checked, and its functions with their types.

It is looked for in this order: the file that MBSENS_LIBRARY names; beside this package, where wheels have it; in the
build folder of the sources that the package stands in; where the system keeps libraries.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from ._declarations import Declarations
from .errors import LibraryError

_PACKAGE = Path(__file__).resolve().parent
_SOURCES = _PACKAGE.parent.parent  # of a checkout


def _headers() -> Path:
    for folder in (_PACKAGE / "include" / "mbsens", _SOURCES / "include" / "mbsens"):
        if (folder / "mbsens.h").is_file():
            return folder
    raise LibraryError(f"the package mbsens in {_PACKAGE} has no headers with it: install it with pip install")


def _candidates(version: str):
    name = os.environ.get("MBSENS_LIBRARY")
    if name:
        return [name]
    files = [_PACKAGE / "libmbsens.so", _SOURCES / "build" / "libmbsens.so"]
    found = [str(file) for file in files if file.is_file()]
    return found or ["libmbsens.so." + ".".join(version.split(".")[:2])]


def _load(path: str):
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        if os.environ.get("MBSENS_LIBRARY"):
            raise LibraryError(f"MBSENS_LIBRARY names a library that cannot be loaded: {error}") from None
        raise LibraryError(
            f"the library of mbsens cannot be loaded ({error}): build it with \"make library\", install it with "
            "\"make install\", or name it in MBSENS_LIBRARY"
        ) from None


def _check(library, path: str, declarations: Declarations):
    """A library with other structs would read and write where it must not: better no library than that one."""
    told = []
    for name in ("mbs_version", "mbs_declarations"):
        if not hasattr(library, name):
            raise LibraryError(f"{path} is no library of mbsens, or of an older version than {declarations.version}")
        declarations.functions[name].bind(library)
        told.append(getattr(library, name)().decode())
    if told[0] != declarations.version:
        raise LibraryError(
            f"{path} is mbsens {told[0]}, this package belongs to {declarations.version}: install both from one version"
        )
    if told[1] != declarations.digest:
        raise LibraryError(
            f"{path} is mbsens {told[0]} like this package, but was built from other headers: build it again"
        )


declarations = Declarations(_headers())
path = _candidates(declarations.version)[0]
_loaded = _load(path)
_check(_loaded, path, declarations)


class _Functions:
    """The functions of the library as attributes, and structs and constants as items of ``declarations``."""


lib = _Functions()
for _name, _function in declarations.functions.items():
    setattr(lib, _name, _function.bind(_loaded))
structs = declarations.structs
values = declarations.values
version = declarations.version
