"""The modules that stand for TensorFlow's inner ones: `tensorflow.python.ops.array_ops`.

Each is empty and looks a name up on first use, where `private_table.py` says. As inside
TensorFlow, a plain name has its TensorFlow 1 meaning, `x_v2` (or `XV2`) is TensorFlow 2's `x`,
`x_v1` the other.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from placewise.core.namespace import missing
from placewise.ops.registry import load_all
from placewise.tensorflow.private_table import PLACES, RENAMED

PREFIX = "tensorflow.python."
_KERAS = PREFIX + "keras"
_ABSENT = object()
_VERSION = re.compile(r"_?[vV]([12])$")


def _full(module: str) -> str:
    """Return the full name of a module that the table may give from `tensorflow.python` on."""
    return module if module.startswith("tensorflow.") else f"{PREFIX}{module}".rstrip(".")


@functools.cache
def places() -> dict[str, tuple[str, ...]]:
    """Return inner module → the places its names come from."""
    found: dict[str, tuple[str, ...]] = {}
    sources: tuple[str, ...] = ()
    package = ""
    for line in PLACES.strip().splitlines():
        if not line.startswith(" "):
            sources = tuple(line.split())
            continue
        head, colon, rest = line.rpartition(":")
        if colon:
            package = _full(head.strip().strip("."))
        for leaf in rest.split():
            found[f"{package}.{leaf}"] = sources
    return found


@functools.cache
def renamed() -> dict[str, str]:
    """Return full inner name → where it is, for names that are spelled otherwise there."""
    found: dict[str, str] = {}
    module = ""
    for line in RENAMED.strip().splitlines():
        if not line.startswith(" "):
            module, _, line = line.partition(":")
        for entry in line.split():
            name, _, where = entry.partition("=")
            found[f"{_full(module)}.{name}"] = where
    return found


@functools.cache
def packages() -> frozenset[str]:
    """Return the packages above the inner modules."""
    return frozenset(
        name.rsplit(".", depth)[0] for name in places() for depth in range(1, name.count("."))
    )


def sources_of(module: str) -> tuple[str, ...]:
    """Return the places of an inner module that exist; none if there is no such module."""
    named = places().get(module, ())
    if not named and (module == _KERAS or module.startswith(_KERAS + ".")):
        # What Keras has publicly stands at the same path inside.
        named = ("tf.keras" + module[len(_KERAS) :],)
    return tuple(place for place in named if place == "raw" or any(_namespaces(place)))


def _namespaces(place: str) -> Iterator[Any]:
    """Yield what a place is: the namespace of TensorFlow 1, then that of TensorFlow 2."""
    if place != "tf" and not place.startswith("tf."):
        yield importlib.import_module(place)
        return
    for root in ("placewise.api.v1", "placewise"):
        found = _walk(importlib.import_module(root), place.split(".")[1:])
        if isinstance(found, ModuleType):
            yield found


def _walk(value: Any, path: list[str]) -> Any:
    for name in path:
        value = _own(value, name)
        if value is _ABSENT:
            break
    return value


def _own(value: Any, name: str) -> Any:
    # A lazy table may say no in words that are costly to make: ask what it lists first.
    listed = vars(value).get("__all__") if isinstance(value, ModuleType) else None
    if listed is not None and name not in listed and name not in vars(value):
        return _ABSENT
    return getattr(value, name, _ABSENT)


def find(module: str, name: str) -> Any:
    """Return what `name` is in an inner module; raises AttributeError if it is nothing."""
    if where := renamed().get(f"{module}.{name}"):
        if where.startswith("placewise."):
            source, _, leaf = where.rpartition(".")
            return getattr(importlib.import_module(source), leaf)
        if where.startswith("v2."):
            return _walk(importlib.import_module("placewise"), where.split(".")[1:])
        for root in _roots(name):
            if (found := _walk(importlib.import_module(root), where.split("."))) is not _ABSENT:
                return found
    if (found := _in_sources(module, name)) is not _ABSENT:
        return found
    if name.startswith("gen_") and sources_of(generated := f"tensorflow.python.ops.{name}"):
        # The modules of ops import the generated ones, and programs reach them there.
        return importlib.import_module(generated)
    near = names(module) if name[0] != "_" else []
    raise AttributeError(missing(module, name, near), name=name)


def _in_sources(module: str, name: str) -> Any:
    spellings = [name]
    if version := _VERSION.search(name):
        spellings.append(name[: version.start()])
    sources = sources_of(module)
    if is_last := "raw" in sources and ".gen_" not in module:
        # What is public comes before the op of the same name: `gather_v2` is a function, too.
        sources = tuple(place for place in sources if place != "raw")
    for spelling in spellings:
        for place in sources:
            if (found := _in_place(place, spelling, name)) is not _ABSENT:
                return found
    return _raw(name) if is_last else _ABSENT


def _roots(name: str) -> list[str]:
    version = _VERSION.search(name)
    both = ["placewise.api.v1", "placewise"]
    return both[::-1] if version and version[1] == "2" else both


def _in_place(place: str, spelling: str, name: str) -> Any:
    if place == "raw":
        return _raw(spelling)
    spaces = list(_namespaces(place))
    if _roots(name)[0] == "placewise":
        spaces.reverse()
    for space in spaces:
        found = _own(space, spelling)
        if found is not _ABSENT:
            return found
    return _ABSENT


def _raw(name: str) -> Any:
    """Return a raw op by its Python name, taking positional arguments as generated functions do."""
    raw_ops = importlib.import_module("placewise.api.v2.raw_ops")
    from placewise.ops.declare import REGISTRY  # noqa: PLC0415 - keeps torch out

    load_all()
    wanted = name.strip("_").replace("_", "").lower()
    declared = next((op for op in REGISTRY if op.lower() == wanted and op[0] != "_"), None)
    return _ABSENT if declared is None else _positional(getattr(raw_ops, declared))


def _positional(raw: Callable[..., Any]) -> Callable[..., Any]:
    names = list(raw.__signature__.parameters)  # type: ignore[attr-defined]  # raw_ops gives one

    @functools.wraps(raw)
    def call(*args: Any, **kwargs: Any) -> Any:
        return raw(**dict(zip(names, args, strict=False)), **kwargs)

    return call


def names(module: str) -> list[str]:
    """Return the names an inner module has, as far as its places can list them."""
    found = {full.rpartition(".")[2] for full in renamed() if full.rpartition(".")[0] == module}
    for place in sources_of(module):
        if place != "raw":
            for space in _namespaces(place):
                found.update(name for name in dir(space) if name[0] != "_")
    return sorted(found)


class PrivateModule(ModuleType):
    """An inner module, or a package of inner modules, whose names are found on first use."""

    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if full in packages() or sources_of(full):
            return importlib.import_module(full)
        value = find(self.__name__, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        start = self.__name__ + "."
        below = {
            known[len(start) :].partition(".")[0]
            for known in (*places(), *packages(), *sys.modules)
            if known.startswith(start)
        }
        return sorted({*super().__dir__(), *below, *names(self.__name__)})
