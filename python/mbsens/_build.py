"""Models by calls: the library's own calls, with numbers, expressions and lists of Python for their texts."""

from __future__ import annotations

import ctypes
from typing import Mapping

from . import _convert, _function
from ._elements import Elements, Number, Numbers
from ._library import lib, structs
from .errors import UsageError


class Builder(Elements):
    """What adds to a model. A call that fails leaves the entry out, but what it added before that stays.

    Every number may be an expression of parameters in a text, which is how it gets a derivative.
    """

    _functions: dict  # of Python, which live as long as the model

    def _call(self, function, *arguments):
        raise NotImplementedError

    # ---- entries with fields ----
    def _add_element(self, section, type_name, name, fields):
        given = {key: value for key, value in fields.items() if value is not None}
        groups = {key: given.pop(key) for key in list(given) if (section, key) in _GROUPS}
        array = (structs["MbsFieldTexts"] * max(1, len(given)))()
        kept = []
        for i, (key, value) in enumerate(given.items()):
            what = f'{section} "{name}": {key}' if isinstance(name, str) else f"{section}: {key}"
            listed = [_convert.to_bytes(text, what) for text in _convert.texts(value, what)]
            texts = _convert.char_array(listed)
            kept.append(texts)
            array[i].key, array[i].room, array[i].texts = key.encode(), len(listed), texts
        self._call(
            lib.mbs_model_add_element,
            section.encode(),
            type_name.encode() if type_name else None,
            _convert.to_bytes(name, f"the name in {section}") if name is not None else None,
            len(given),
            array,
        )
        for key, value in groups.items():
            _GROUPS[section, key](self, name, value)

    # ---- the rest ----
    def _named(self, function, name, value, what, *before):
        listed = _convert.texts(value, f'{what} "{name}"')
        if len(listed) != 1:
            raise UsageError(f'{what} "{name}" must be one number or expression, got {len(listed)}')
        text = _convert.to_bytes(listed[0], f'{what} "{name}"')
        self._call(function, *before, _convert.to_bytes(name, f"the name of a {what}"), text)

    def _vector(self, function, name, vector, what, *before):
        listed = _convert.texts(vector, f'{what} "{name}"')
        if len(listed) > 3:
            raise UsageError(f'{what} "{name}" must have 2 or 3 components, or be one expression, got {len(listed)}')
        texts = [_convert.to_bytes(text, f'{what} "{name}"') for text in listed] + [None] * (3 - len(listed))
        self._call(function, *before, _convert.to_bytes(name, f"the name of a {what}"), *texts)

    def set_gravity(self, vector: Numbers) -> None:
        """m/s2."""
        listed = _convert.texts(vector, "gravity")
        if len(listed) > 3:
            raise UsageError(f"gravity must have 2 or 3 components, got {len(listed)}")
        self._call(lib.mbs_model_set_gravity, *[_convert.to_bytes(text, "gravity") for text in listed],
                   *[None] * (3 - len(listed)))

    def add_parameter(self, name: str, value: Number | Numbers) -> None:
        """A named number, or an expression of others: what gradients are taken by. A list is an array: u[1], u[2], ..."""
        listed = _convert.texts(value, f'parameter "{name}"')
        if len(listed) == 1 and not isinstance(value, (list, tuple)):
            self._named(lib.mbs_model_add_parameter, name, value, "parameter")
            return
        for i, text in enumerate(listed):
            self._named(lib.mbs_model_add_parameter, f"{name}[{i + 1}]", text, "parameter")

    def add_parameters(self, **values: Number) -> None:
        """Several: ``model.add_parameters(m=2, L="sqrt(2)")``."""
        for name, value in values.items():
            self.add_parameter(name, value)

    def add_hardpoint(self, name: str, vector: Numbers) -> None:
        """A design point: a vector for expressions, whose components are parameters."""
        self._vector(lib.mbs_model_add_hardpoint, name, vector, "hardpoint")

    def add_function(self, name: str, body: str) -> None:
        """``model.add_function("road(x)", "0.1*sin(x)")``."""
        self._named(lib.mbs_model_add_function, name, body, "function")

    def set_function(self, name: str, function, slopes=None, *, results: int = 1, arguments: int | None = None) -> None:
        """A function of Python for expressions, a force law or a policy: ``model.set_function("push", lambda x, v: -k*x**3)``,
        and in the model ``value: push(slide(rail), rate)``. It depends on its arguments alone.

        - slopes: of the same arguments, results x arguments; None: the function takes complex numbers, too (arithmetic
          and NumPy do), and its derivatives are complex steps
        - results: 1, or 2 or 3 for a vector; arguments: how many numbers it takes, where that cannot be seen

        It is called in every iteration, which costs some microseconds each time. Files do not have it: a model that is
        read back or pickled needs it set again (`copy()` takes it along).
        """
        made = _function.describe(function, slopes, results, arguments)
        self._call(lib.mbs_model_set_function, _convert.to_bytes(name, "the name of a function"), ctypes.byref(made))
        self._functions[name] = made

    def add_input(self, name: str, value: Number = 0) -> None:
        """A number that the caller of a simulation sets between steps, with its value at the start."""
        self._named(lib.mbs_model_add_input, name, value, "input")

    def add_variable(self, name: str, value: Number = 0) -> None:
        """A number that events set, with its value at the start."""
        self._named(lib.mbs_model_add_variable, name, value, "variable")

    def add_ground_point(self, name: str, vector: Numbers) -> None:
        """A point that does not move; m."""
        self._vector(lib.mbs_model_add_ground_point, name, vector, "point")

    def add_ground_points(self, **points: Numbers) -> None:
        """Several: ``model.add_ground_points(A=[0, 0], B=[1, 0])``."""
        for name, vector in points.items():
            self.add_ground_point(name, vector)

    def add_ground_vector(self, name: str, vector: Numbers) -> None:
        """A direction that does not move."""
        self._vector(lib.mbs_model_add_ground_vector, name, vector, "vector")

    def add_point(self, body: str, name: str, vector: Numbers) -> None:
        """A point of a body that is there already, in its axes; m."""
        self._vector(lib.mbs_model_add_point, name, vector, "point", _convert.to_bytes(body, "the name of a body"))

    def add_vector(self, body: str, name: str, vector: Numbers) -> None:
        """A direction of a body that is there already, in its axes."""
        self._vector(lib.mbs_model_add_vector, name, vector, "vector", _convert.to_bytes(body, "the name of a body"))

    def add_initial_point(self, point: str, vector: Numbers) -> None:
        """Where a point (body.point, or its name alone) is when the assembly starts; m."""
        self._vector(lib.mbs_model_add_initial_point, point, vector, "initial point")

    def set_at_event(self, event: str, variable: str, value: Number) -> None:
        """What an event that is there already sets a variable or a state to."""
        self._named(lib.mbs_model_set_at_event, variable, value, "variable", _convert.to_bytes(event, "an event's name"))

    def set_inactive(self, joints) -> None:
        """Joints that do not act at the start, and that events add."""
        listed = [joints] if isinstance(joints, str) else list(joints)
        self._call(lib.mbs_model_set_inactive, _convert.to_bytes(", ".join(listed), "joints"))

    def set_simulation(self, **settings: Number) -> None:
        """Settings of the section `simulation`: ``model.set_simulation(end=2, step=0.001)``."""
        for key, value in settings.items():
            self._named(lib.mbs_model_set_simulation, key, value, "setting")

    def set_optimization(self, **keys: Number | Numbers) -> None:
        """Keys of the section `optimization`: ``model.set_optimization(minimize="psi", parameters="k,c")``."""
        for key, value in keys.items():
            text = value if isinstance(value, str) else ",".join(_convert.texts(value, key))
            self._named(lib.mbs_model_set_optimization, key, text, "key")

    def set_equilibrium(self, **keys: Number | Numbers) -> None:
        """Keys of the section `equilibrium`: ``model.set_equilibrium(steady=True, solve=["steer", "drive"])``. What is held,
        and conditions, are entries: `add_held_coordinate`, `add_trim_condition`."""
        for key, value in keys.items():
            text = value if isinstance(value, str) else ",".join(_convert.texts(value, key))
            self._named(lib.mbs_model_set_equilibrium, key, text, "key")

    def set_initial(self, **keys: Number) -> None:
        """Keys of the section `initial`: ``model.set_initial(equilibrium=True)``: runs start there."""
        for key, value in keys.items():
            self._named(lib.mbs_model_set_initial, key, value, "key")

    def set_identification(self, **keys: Number | Numbers) -> None:
        """Keys of the section `identification`: ``model.set_identification(data="measured.csv", parameters="m,k")``."""
        for key, value in keys.items():
            text = value if isinstance(value, str) else ",".join(_convert.texts(value, key))
            self._named(lib.mbs_model_set_identification, key, text, "key")

    def set_range(self, parameter: str, lower: Number | None = None, upper: Number | None = None,
                  scale: Number | None = None) -> None:
        """How far a parameter may go in an optimisation, and what a large change of it is."""
        name = _convert.to_bytes(parameter, "the name of a parameter")
        texts = [None if value is None else _convert.to_bytes(_convert.number_text(value, parameter), parameter)
                 for value in (lower, upper, scale)]
        self._call(lib.mbs_model_set_range, name, *texts)

    def set_distribution(self, parameter: str, distribution: str) -> None:
        """What is known of a parameter, for sweeps: "normal(100, 5)"."""
        self._call(lib.mbs_model_set_distribution, _convert.to_bytes(parameter, "the name of a parameter"),
                   _convert.to_bytes(distribution, parameter))

    def _add_each(self, add, owner, values, what):
        if not isinstance(values, Mapping):
            raise UsageError(f'{what} of "{owner}" must be a mapping of names, got {type(values).__name__}')
        for name, value in values.items():
            add(owner, name, value)

    def _add_list(self, add, owner, values, what):
        if isinstance(values, (str, Mapping)) or not all(isinstance(entry, Mapping) for entry in values):
            raise UsageError(f'{what} of "{owner}" must be a list of mappings')
        for entry in values:
            add(owner, **entry)


# Fields of entries that are added one by one, by calls of their own.
_GROUPS = {
    ("bodies", "points"): lambda self, name, value: self._add_each(self.add_point, name, value, "points"),
    ("bodies", "vectors"): lambda self, name, value: self._add_each(self.add_vector, name, value, "vectors"),
    ("events", "set"): lambda self, name, value: self._add_each(self.set_at_event, name, value, "set"),
    ("events", "velocities"): lambda self, name, value: self._add_list(
        self.add_event_velocity, name, value, "velocities"
    ),
    ("events", "friction"): lambda self, name, value: self._add_list(self.add_event_friction, name, value, "friction"),
}
