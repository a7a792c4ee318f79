"""`HParams`: named settings with types, that text and JSON can change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Number
from typing import Any, NoReturn

# One of `name=text`, `name[3]=text` and `name=[text, text]`, and the comma behind it.
_ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)"
    r"(?:\[\s*(?P<index>\d+)\s*\])?"
    r"\s*=\s*"
    r"(?:\[(?P<items>[^\]]*)\]|(?P<text>[^,\[]*))"
    r"(?:,\s*|$)"
)

_FLAGS = {"true": True, "True": True, "false": False, "False": False}


@dataclass(frozen=True)
class _Setting:
    """The type of one setting: that of its value, or of the elements of its list."""

    name: str
    kind: type
    is_list: bool = False

    @classmethod
    def of(cls, name: str, value: Any) -> _Setting:
        if not isinstance(value, list | tuple):
            return cls(name, type(value))
        if not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        return cls(name, type(value[0]), is_list=True)

    def parse(self, text: str, source: str) -> Any:
        """Return the value that a text stands for."""
        text = text.strip()
        try:
            if self.kind is not bool:
                return self.kind(text)
            return _FLAGS[text] if text in _FLAGS else bool(int(text))
        except ValueError:
            raise ValueError(
                f"Could not parse hparam '{self.name}' of type '{self.kind.__name__}' with value "
                f"'{text}' in {source}"
            ) from None

    def cast(self, value: Any) -> Any:
        """Return a value in this type; ValueError if that would lose or invent something."""
        if self.kind is type(None):
            return value
        if _family(type(value)) not in _ACCEPTED.get(_family(self.kind), (_family(type(value)),)):
            raise ValueError(
                f"Could not cast hparam '{self.name}' of type '{self.kind}' from value {value!r}"
            )
        return self.kind(value)

    def check_default(self, default: Any) -> None:
        """Raise ValueError if a default has another type than the setting."""
        kind = f"list<{self.kind}>" if self.is_list else str(self.kind)
        problem = f"Hparam '{self.name}' of type '{kind}' is incompatible with default={default}"
        if self.is_list != isinstance(default, list):
            raise ValueError(problem)
        try:
            for item in default if self.is_list else [default]:
                self.cast(item)
        except ValueError as refused:
            raise ValueError(f"{problem}. {refused}") from None


def _family(kind: type) -> str:
    """Return which types a type is exchangeable with."""
    if issubclass(kind, str | bytes):
        return "text"
    if issubclass(kind, bool):
        return "flag"
    if issubclass(kind, Integral):
        return "integer"
    return "number" if issubclass(kind, Number) else "other"


# A whole number passes for any number, nothing else for something of another family.
_ACCEPTED = {
    "text": ("text",),
    "flag": ("flag",),
    "integer": ("integer",),
    "number": ("integer", "number"),
}


def parse_values(
    values: str, type_map: dict[str, Any], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Return settings from text: `a=1,b=[2,3],c[0]=4`.

    A setting with an index is returned as a dictionary from indices to values.

    >>> parse_values("a=1,b=[2,3],c[0]=4", {"a": int, "b": float, "c": int})
    {'a': 1, 'b': [2.0, 3.0], 'c': {0: 4}}
    """
    settings: dict[str, Any] = {}
    for match in _assignments(values):
        name, index = match["name"], match["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        setting = _Setting(name, type_map[name])
        if match["items"] is None:
            value = setting.parse(match["text"], values)
        elif index is None:
            texts = filter(None, re.split(r"[ ,]", match["items"]))
            value = [setting.parse(text, values) for text in texts]
        else:
            raise ValueError("Assignment of a list to a list index.")
        if index is None:
            _store(settings, name, name, value, values)
        else:
            elements = settings.setdefault(name, {})
            if not isinstance(elements, dict):
                _refuse_second(name, values)
            _store(elements, int(index), f"{name}[{index}]", value, values)
    return settings


def _assignments(text: str) -> Iterator[re.Match[str]]:
    """Yield the assignments of a text, which they must fill."""
    end = 0
    while end < len(text):
        match = _ASSIGNMENT.match(text, end)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {text[end:]}")
        yield match
        end = match.end()


def _store(settings: dict[Any, Any], key: Any, shown: str, value: Any, source: str) -> None:
    if key in settings:
        _refuse_second(shown, source)
    settings[key] = value


def _refuse_second(shown: str, source: str) -> NoReturn:
    raise ValueError(f"Multiple assignments to variable '{shown}' in {source}")


class HParams:
    """Settings by name, read as attributes. The first value of a setting says its type.

    >>> settings = HParams(rate=0.1, sizes=[8, 8])
    >>> settings.parse("rate=1,sizes=[4]").rate
    1.0
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise ValueError("HParams: settings from a protocol message are not supported here")
        self._settings: dict[str, _Setting] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a setting; its value says its type, a list that of its elements."""
        # Neither another setting nor a method of this class may be hidden.
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        self._settings[name] = _Setting.of(name, value)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Set a setting to a value of its type."""
        setting = self._settings[name]
        if setting.is_list and not isinstance(value, list):
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        if isinstance(value, list) and not setting.is_list:
            raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
        cast = setting.cast
        setattr(self, name, [cast(item) for item in value] if setting.is_list else cast(value))

    def del_hparam(self, name: str) -> None:
        """Remove a setting."""
        if self._settings.pop(name, None) is not None:
            delattr(self, name)

    def parse(self, values: str) -> HParams:
        """Set settings from text: `a=1,b=[2,3],c[0]=4`."""
        parsed = parse_values(values, {key: item.kind for key, item in self._settings.items()})
        for name, value in parsed.items():
            if isinstance(value, dict) and self._settings[name].is_list:
                # Only some elements of a list are given: the others stay.
                parsed[name] = list(getattr(self, name))
                for index, element in value.items():
                    parsed[name][index] = element
        return self.override_from_dict(parsed)

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Set settings from a dictionary."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: dict[str, Any]) -> HParams:
        """Set settings from a dictionary."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Keep a structure of the model beside the settings."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Return the structure of the model."""
        return self._model_structure

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Return the settings as JSON; functions are left out."""
        plain = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(plain, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Set settings from JSON."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Return the settings as a dictionary."""
        return {name: getattr(self, name) for name in self._settings}

    def get(self, key: str, default: Any = None) -> Any:
        """Return a setting, or the default, which must have its type, if there is none."""
        if key not in self:
            return default
        if default is not None:
            self._settings[key].check_default(default)
        return getattr(self, key)

    def __contains__(self, key: str) -> bool:
        return key in self._settings

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"
