"""What is asked of a run: settings by their names, as in a model file."""

from __future__ import annotations

import ctypes

from . import _convert
from ._context import Context
from ._library import lib, structs


class Request:
    """Settings of the model, and others in their place; objectives and parameters by name, None: all."""

    def __init__(self, context: Context, model, settings: dict, *, recorder=None, may_be_empty=False, **lists):
        self.handle = ctypes.POINTER(structs["MbsRequest"])()
        self._recorder = recorder  # the library knows where it is
        context.check(lib.mbs_request_create(context.handle, model, ctypes.byref(self.handle)))
        for name, value in lists.items():
            listed = _convert.name_list(value, name, may_be_empty)
            if listed is not None:
                names = _convert.char_array(listed)
                context.check(
                    lib.mbs_request_set_names(context.handle, self.handle, name.encode(), len(listed), names)
                )
        for name, value in settings.items():
            if value is None:
                continue
            if isinstance(value, (list, tuple)):
                value = ",".join(_convert.texts(value, f'setting "{name}"'))
            text = _convert.number_text(value, f'setting "{name}"')
            context.check(
                lib.mbs_request_set(context.handle, self.handle, _convert.to_bytes(name, "the name of a setting"),
                                    _convert.to_bytes(text, f'setting "{name}"'))
            )
        if recorder is not None:
            context.check(lib.mbs_request_record(context.handle, self.handle, ctypes.byref(recorder)))

    def __del__(self):
        if self.handle:
            lib.mbs_request_destroy(self.handle)
            self.handle = None
