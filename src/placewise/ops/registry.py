"""Loads every file of `ops`, so that the registry holds every op."""

from __future__ import annotations

import functools
import importlib
import pkgutil

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
