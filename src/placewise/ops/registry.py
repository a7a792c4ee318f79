"""Loads the files that declare ops: all of them, or those that some ops are declared in."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from placewise import ops

# What declares ops besides this package. By name: the package must not know them.
_ELSEWHERE = ("placewise.data", "placewise.distribute.collectives")


@functools.cache
def load_all() -> None:
    """Import every module of the package."""
    for module in pkgutil.walk_packages(ops.__path__, "placewise.ops."):
        importlib.import_module(module.name)


@functools.cache
def load_everything() -> None:
    """Import every module that declares an op: a GraphDef may name any."""
    load_all()
    for name in _ELSEWHERE:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{name}."):
            importlib.import_module(module.name)


def load_ops(names: Iterable[str]) -> None:
    """Import the modules that declare ops of these names; all, if that does not find each.

    All modules take most of a second, and a saved model needs a few. An op's name stands in quotes
    where it is declared (`"MatMul(a: T, …"`), so that the text of the files tells which they are.
    """
    from placewise.ops.declare import REGISTRY  # noqa: PLC0415 - loads torch

    wanted = {name for name in names if name not in REGISTRY}
    if not wanted:
        return
    for module in _naming(wanted):
        importlib.import_module(module)
    if any(name not in REGISTRY for name in wanted):
        load_everything()


def _naming(wanted: set[str]) -> list[str]:
    """Return the modules, of those not loaded yet, that have one of the names in their text."""
    pattern = re.compile('"(?:' + "|".join(map(re.escape, sorted(wanted))) + ')["(]')
    found = []
    root = Path(ops.__path__[0]).parent
    for package in ("placewise.ops", *_ELSEWHERE):
        place = root.joinpath(*package.split(".")[1:])
        for file in [*place.rglob("*.py"), *place.parent.glob(f"{place.name}.py")]:
            parts = file.relative_to(root).with_suffix("").parts
            module = ".".join(("placewise", *(part for part in parts if part != "__init__")))
            if module not in sys.modules and pattern.search(file.read_text(encoding="utf-8")):
                found.append(module)
    return found
