"""Contexts of the library: where it tells errors, and what it calls during long runs."""

from __future__ import annotations

import ctypes
import signal
import threading

from . import errors
from ._library import declarations, lib

_KeepGoing = declarations.functions["mbs_context_on_progress"].arguments[1]
_NOBODY = _KeepGoing()


class Context:
    """One per thread of work, or per object that one thread at a time uses."""

    __slots__ = ("handle", "_callback", "_progress", "_signals", "_raised", "_former")

    def __init__(self):
        self.handle = lib.mbs_context_create()
        if not self.handle:
            raise errors.OutOfMemoryError("out of memory")
        self._callback = None
        self._progress = self._raised = self._former = None
        self._signals = []

    def __del__(self):
        if getattr(self, "handle", None):
            lib.mbs_context_destroy(self.handle)
            self.handle = None

    # ---- errors ----
    def error(self, status: int) -> errors.Error:
        """The exception for a status, with what the library told."""
        count = lib.mbs_context_error_count(self.handle)
        told = [lib.mbs_context_error(self.handle, i).decode(errors="replace") for i in range(count)]
        name = declarations.statuses[status][0]
        message = lib.mbs_context_message(self.handle).decode(errors="replace")
        return errors.BY_STATUS[name](message, told if count > 1 else [message])

    def check(self, status: int) -> None:
        if status:
            raise self.error(status)

    # ---- long calls ----
    def call(self, function, *arguments, progress=None) -> int:
        """Calls a function that may take long, and returns its status.

        The interpreter's lock is free meanwhile. Signals reach Python now and then, so that ctrl-C ends the call with
        KeyboardInterrupt; ``progress`` is told the fraction that is done, and False from it ends the call, too.
        """
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main and progress is None:
            return function(self.handle, *arguments)
        if self._callback is None:
            self._callback = _KeepGoing(self._keep_going)
        lib.mbs_context_on_progress(self.handle, self._callback, None)
        self._progress, self._raised = progress, None
        is_handled = is_main and callable(signal.getsignal(signal.SIGINT))
        if is_handled:
            self._former = signal.signal(signal.SIGINT, self._keep_signal)
        try:
            status = function(self.handle, *arguments)
        finally:
            if is_handled:
                signal.signal(signal.SIGINT, self._former)
            lib.mbs_context_on_progress(self.handle, _NOBODY, None)
            self._progress = self._former = None
            raised, self._raised = self._raised, None
            late, self._signals = self._signals, []
        if raised is None and late:
            self._run_handlers(late)  # what came after the last report
        if raised is not None:
            raise raised
        return status

    # An exception that a signal handler raises could begin anywhere in a callback, where ctypes would swallow it; so
    # signals are kept, and their handler is called where what it raises is caught.
    def _keep_signal(self, number, frame):
        self._signals.append((self._former, number, frame))

    @staticmethod
    def _run_handlers(kept):
        for handler, number, frame in kept:
            handler(number, frame)

    def _keep_going(self, user, fraction):
        try:
            if self._signals:
                kept, self._signals = self._signals, []
                self._run_handlers(kept)
            return self._progress is None or self._progress(fraction) is not False
        except BaseException as error:  # raised again by `call`
            self._raised = error
            return False


_of_thread = threading.local()


def context() -> Context:
    """That of this thread."""
    try:
        return _of_thread.context
    except AttributeError:
        _of_thread.context = Context()
        return _of_thread.context
