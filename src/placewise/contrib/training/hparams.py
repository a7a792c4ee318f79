"""`HParams`: named settings with types, that text and JSON can change."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any

_ASSIGNMENT = re.compile(
    r"""
    (?P<name>[a-zA-Z][\w\.]*)      # the name
    (\[\s*(?P<index>\d+)\s*\])?    # a place in a list
    \s*=\s*
    ((?P<value>[^,\[]*)            # one value
     |
     \[(?P<values>[^\]]*)\])       # or several
    ($|,\s*)""",
    re.VERBOSE,
)


def _parsed(kind: type, text: str, name: str) -> Any:
    text = text.strip()
    try:
        if kind is bool:
            if text in ("true", "True"):
                return True
            if text in ("false", "False"):
                return False
            return bool(int(text))
        return kind(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}'"
        ) from None


def parse_values(
    values: str, type_map: dict[str, Any], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Return settings from text: `a=1,b=[2,3],c[0]=4`."""
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name, index = match["name"], match["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        kind = type_map[name]
        if match["values"] is not None:
            if index is not None:
                raise ValueError(f"Could not parse hparam '{name}': a list for one place of a list")
            texts = [each for each in re.split(r"[ ,]", match["values"]) if each]
            value: Any = [_parsed(kind, each, name) for each in texts]
        else:
            value = _parsed(kind, match["value"], name)
        if index is not None:
            places = found.setdefault(name, {})
            if not isinstance(places, dict) or int(index) in places:
                raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
            places[int(index)] = value
        elif name in found:
            raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
        else:
            found[name] = value
    return found


def _cast(kind: type, value: Any, name: str) -> Any:
    """Return a value as the type a setting has; refuse what would lose something."""
    said = f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}"
    if value is None:
        return value
    if kind is type(None) or isinstance(value, kind):
        is_flag = isinstance(value, bool)
        if is_flag == (kind is bool) or kind is type(None):
            return value
    if issubclass(kind, str) != isinstance(value, (str, bytes)):
        raise ValueError(said)
    if issubclass(kind, bool) != isinstance(value, bool):
        raise ValueError(said)
    if (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral)) or (
        issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number)
    ):
        raise ValueError(said)
    return kind(value)


class HParams:
    """Settings by name, read as attributes."""

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def is not None:
            raise ValueError("HParams: settings from a protocol message are not supported here")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a setting; its value says its type, a list that of its elements."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Set a setting to a value of its type."""
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(kind, each, name) for each in value])
        else:
            if is_list:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _cast(kind, value, name))

    def del_hparam(self, name: str) -> None:
        """Remove a setting."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Set settings from text: `a=1,b=[2,3]`."""
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        found = parse_values(values, kinds)
        for name, value in found.items():
            if isinstance(value, dict):
                kept = list(getattr(self, name))
                for place, each in value.items():
                    kept[place] = each
                found[name] = kept
        return self.override_from_dict(found)

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
        kept = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(kept, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Set settings from JSON."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Return the settings as a dictionary."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """Return a setting, or a default of its type."""
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, is_list = self._hparam_types[key]
            said = f"Hparam '{key}' of type '{kind}' is incompatible with default={default}"
            if is_list != isinstance(default, list):
                raise ValueError(said)
            try:
                for each in default if is_list else [default]:
                    _cast(kind, each, key)
            except ValueError as problem:
                raise ValueError(f"{said}. {problem}") from None
        return getattr(self, key)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        shown = sorted(
            (name, f"{value!r}" if isinstance(value, str) else value)
            for name, value in self.values().items()
        )
        return str(shown)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"
