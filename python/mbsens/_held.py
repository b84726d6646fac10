"""Objects of the library that are held: one thread at a time uses them, and after closing nobody does."""

from __future__ import annotations

import ctypes
import threading

from ._context import Context
from ._library import lib, structs
from .errors import UsageError
from .model import Model


class Held:
    """With a context of its own, and the model that must outlive it."""

    _what: str  # "simulation": MbsX, mbs_x_destroy are named after _c_name
    _c_name: str

    def __init__(self, model: Model):
        if not isinstance(model, Model):
            raise UsageError(f"a {self._what} needs a Model, got {type(model).__name__}")
        self._destroy = getattr(lib, f"mbs_{self._c_name}_destroy")
        struct = "Mbs" + "".join(word.capitalize() for word in self._c_name.split("_"))
        self._handle = ctypes.POINTER(structs[struct])()
        self._lock = threading.Lock()
        self._context = Context()
        self.model = model

    def _create(self, request, function):
        model = self.model._hold()
        status = function(self._context.handle, model, request.handle, ctypes.byref(self._handle))
        if not self._handle:
            self.model._release()
        self._context.check(status)
        self._request = request  # whose recorder is in use

    def _enter(self):
        """The handle, for one thread alone; whoever entered releases the lock."""
        if not self._lock.acquire(blocking=False):
            raise UsageError(f"the {self._what} is in use: by another thread, or by the run that calls this function")
        if not self._handle:
            self._lock.release()
            raise UsageError(f"the {self._what} is closed")
        return self._handle

    def _do(self, function, *arguments):
        """A call that may fail."""
        handle = self._enter()
        try:
            self._context.check(function(self._context.handle, handle, *arguments))
        finally:
            self._lock.release()

    def _ask(self, function, *arguments):
        """A call that cannot."""
        handle = self._enter()
        try:
            return function(handle, *arguments)
        finally:
            self._lock.release()

    def close(self) -> None:
        """Gives its memory back. Happens by itself when nobody needs it."""
        if not self._handle:
            return
        handle = self._enter()
        try:
            self._handle = None
            self._destroy(handle)
            self.model._release()
        finally:
            self._lock.release()

    def __del__(self):
        if getattr(self, "_handle", None):
            self._destroy(self._handle)
            self._handle = None
            self.model._release()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
