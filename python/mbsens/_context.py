"""Contexts of the library: where it tells errors, and what it calls during long runs."""

from __future__ import annotations

import _signal  # signal's own functions, without its enumerations, which take longer than a short run
import threading
import weakref

from . import errors
from ._library import declarations, lib

_KeepGoing = declarations.functions["mbs_context_on_progress"].arguments[1]
_NOBODY = _KeepGoing()
_MAIN = threading.main_thread().ident
SIGINT = int(_signal.SIGINT)


class Context:
    """One per thread of work, or per object that one thread at a time uses."""

    def __init__(self):
        self.handle = lib.mbs_context_create()
        if not self.handle:
            raise errors.OutOfMemoryError("out of memory")
        self._callback = None
        self._progress = self._raised = self._former = None
        self._signals = []
        self._listens = False

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
        is_main = threading.get_ident() == _MAIN
        if not is_main and progress is None:
            self._listen(False)
            return function(self.handle, *arguments)
        self._listen(True)
        self._progress, self._raised = progress, None
        former = _signal.getsignal(SIGINT) if is_main else None
        is_handled = callable(former)
        if is_handled:
            self._former = former
            _signal.signal(SIGINT, self._keep_signal)
        try:
            status = function(self.handle, *arguments)
        finally:
            if is_handled:
                _signal.signal(SIGINT, former)
            self._progress = self._former = None
            raised, self._raised = self._raised, None
            late, self._signals = self._signals, []
        if raised is None and late:
            self._run_handlers(late)  # what came after the last report
        if raised is not None:
            raise raised
        return status

    def _listen(self, wanted):
        """Reports of the progress are wanted, or not; they cost little, but need the interpreter's lock."""
        if wanted != self._listens:
            if self._callback is None:
                self._callback = _KeepGoing(_reporter(weakref.ref(self)))
            lib.mbs_context_on_progress(self.handle, self._callback if wanted else _NOBODY, None)
            self._listens = wanted

    # An exception that a signal handler raises could begin anywhere in a callback, where ctypes would swallow it; so
    # signals are kept, and their handler is called where what it raises is caught.
    def _keep_signal(self, number, frame):
        self._signals.append((self._former, number, frame))

    @staticmethod
    def _run_handlers(kept):
        for handler, number, frame in kept:
            handler(number, frame)

    def _keep_going(self, fraction):
        try:
            if self._signals:
                kept, self._signals = self._signals, []
                self._run_handlers(kept)
            return self._progress is None or self._progress(fraction) is not False
        except BaseException as error:  # raised again by `call`
            self._raised = error
            return False


def _reporter(context):
    """What the library calls; it must not keep its context."""

    def report(user, fraction):
        return context()._keep_going(fraction)

    return report


_of_thread = threading.local()


def context() -> Context:
    """That of this thread."""
    try:
        return _of_thread.context
    except AttributeError:
        _of_thread.context = Context()
        return _of_thread.context
