"""Names of type specs: what a file may call a spec, whatever its class is called in Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import TensorSpec, TypeSpec

_NAME = re.compile(r"^(\w+\.)+\w+$")
_named: dict[str, type[TypeSpec]] = {}
_names: dict[type[TypeSpec], str] = {}


def register(name: str) -> Callable[[type[Any]], type[Any]]:
    """Return a decorator that gives a class of specs a name, for good."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.match(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' (e.g. "
            f"'my_project.MyTypeSpec'); got {name!r}."
        )

    def named(cls: type[Any]) -> type[Any]:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in _names:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been registered with name "
                f"{_names[cls]}."
            )
        if name in _named:
            other = _named[name]
            raise ValueError(
                f"Name {name} has already been registered for class {other.__module__}."
                f"{other.__name__}."
            )
        _named[name], _names[cls] = cls, name
        return cls

    return named


def get_name(cls: Any) -> str:
    """Return the name of a class of specs; an extension type gives its specs one by itself."""
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls not in _names:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__qualname__} has not been registered.")
    return _names[cls]


def lookup(name: str) -> type[TypeSpec]:
    """Return the class of specs that has a name."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _named:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _named[name]


for _spec in (TensorSpec, SparseTensorSpec, RaggedTensorSpec):
    register(f"tf.{_spec.__name__}")(_spec)
