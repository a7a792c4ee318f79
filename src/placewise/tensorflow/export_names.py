"""`tensorflow.python.util.tf_export`: which public names a symbol has, for files of models."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from placewise.ops.op_functions import PREFIX, op_function

_ATTRIBUTES = {
    "tensorflow": "_tf_api_names",
    "keras": "_keras_api_names",
    "estimator": "_estimator_api_names",
}
_symbols: dict[str, Any] = {}


class api_export:  # noqa: N801 - TensorFlow's name
    """A decorator that gives a function or class its public names."""

    def __init__(self, *args: str, api_name: str = "tensorflow", v1: Any = None, **_: Any) -> None:
        self._names, self._names_v1 = args, tuple(v1 if v1 is not None else args)
        self._attribute = _ATTRIBUTES.get(api_name, f"_{api_name}_api_names")

    def __call__(self, func: Any) -> Any:
        """Note the names and return what was decorated."""
        for name in (*self._names, *(f"compat.v1.{name}" for name in self._names_v1)):
            _symbols[name] = func
        _put(func, self._attribute, self._names)
        _put(func, f"{self._attribute}_v1", self._names_v1)
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Note the names of a constant of a module."""
        for public in self._names:
            _symbols[public] = getattr(importlib.import_module(module_name), name)


def _put(symbol: Any, attribute: str, names: Any) -> None:
    try:
        setattr(symbol, attribute, names)
    except AttributeError:
        # A symbol without a dictionary keeps no names; it is found by them all the same.
        return


def _export(api_name: str) -> Callable[..., api_export]:
    def export(*names: str, **options: Any) -> api_export:
        return api_export(*names, api_name=api_name, **options)

    return export


tf_export, keras_export, estimator_export = map(_export, _ATTRIBUTES)


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """Return the first public name of a symbol, or None if it has none."""
    own = getattr(symbol, "__dict__", {})
    if api_name == "tensorflow" and (name := own.get("__tf_name__")):
        return str(name)
    attribute = _ATTRIBUTES.get(api_name, f"_{api_name}_api_names")
    if names := own.get(attribute):
        return str(names[0])
    if names := own.get(f"{attribute}_v1"):
        return f"compat.v1.{names[0]}" if add_prefix_to_v1_names else str(names[0])
    return _public_name(symbol) if api_name == "tensorflow" else None


_NAMESPACES = ("", "math", "nn", "linalg", "strings", "image", "random", "signal", "sparse")


def _public_name(symbol: Any) -> str | None:
    """Return the name under which one of TensorFlow's namespaces has a function."""
    leaf = getattr(symbol, "__name__", None)
    if leaf is None:
        return None
    for namespace in _NAMESPACES:
        module = importlib.import_module(f"placewise.{namespace}".rstrip("."))
        if getattr(module, leaf, None) is symbol:
            return f"{namespace}.{leaf}".lstrip(".")
    return None


def get_symbol_from_name(name: str) -> Any:
    """Return what has a public name, or None."""
    if name in _symbols:
        return _symbols[name]
    if name.startswith(PREFIX):
        return op_function(name.removeprefix(PREFIX))
    value = importlib.import_module("placewise")
    for part in name.split("."):
        value = getattr(value, part, None)  # type: ignore[assignment]  # ends at any object
        if value is None:
            return None
    return value


def get_v2_names(symbol: Any) -> list[str]:
    """Return the public names in TensorFlow 2."""
    own = getattr(symbol, "__dict__", {})
    return [name for attribute in _ATTRIBUTES.values() for name in own.get(attribute, ())]


def get_v1_names(symbol: Any) -> list[str]:
    """Return the public names in TensorFlow 1."""
    own = getattr(symbol, "__dict__", {})
    return [name for attribute in _ATTRIBUTES.values() for name in own.get(f"{attribute}_v1", ())]
