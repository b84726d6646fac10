"""What is asked of a run: settings by their names, as in a model file."""

from __future__ import annotations

import ctypes

from . import _convert
from ._context import Context
from ._library import lib, structs
from .errors import UsageError


class Request:
    """Settings of the model, and others in their place; objectives and parameters by name, None: all."""

    def __init__(self, context: Context, model, settings: dict, *, recorder=None, **lists):
        self.handle = ctypes.POINTER(structs["MbsRequest"])()
        self._recorder = recorder  # the library knows where it is
        context.check(lib.mbs_request_create(context.handle, model, ctypes.byref(self.handle)))
        for name, value in lists.items():
            listed = _convert.name_list(value, name)
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


from ._library import declarations, values
from .errors import InputError

if "mbs_request_create" not in declarations.functions:  # until settings go by key
    _METHODS = ["none", "direct", "adjoint", "adjoint-continuous", "complex-step", "finite-difference"]

    class Request:  # noqa: F811
        """Settings of the model, and others in their place; objectives and parameters by name, None: all."""

        def __init__(self, context: Context, model, settings: dict, *, recorder=None, **lists):
            self._struct = structs["MbsRequest"]()
            self.handle = ctypes.pointer(self._struct)
            self._kept = [recorder]
            context.check(lib.mbs_request_default(context.handle, model, self.handle))
            self._struct.recorder = ctypes.pointer(recorder) if recorder is not None else None
            for name, value in lists.items():
                listed = _convert.name_list(value, name)
                if listed is not None:
                    array = _convert.char_array(listed)
                    self._kept.append(array)
                    setattr(self._struct, name, ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)))
                    setattr(self._struct, name[:-1] + "_count", len(listed))
            for name, value in settings.items():
                if value is None:
                    continue
                if name == "method":
                    if value not in _METHODS:
                        raise InputError(f"unknown method {value}")
                    self._struct.method = _METHODS.index(value)
                elif name == "memory":
                    self._struct.memory = value
                elif hasattr(self._struct.settings, name):
                    setattr(self._struct.settings, name, value.encode() if isinstance(value, str) else value)
                else:
                    raise InputError(f'no setting "{name}"')
