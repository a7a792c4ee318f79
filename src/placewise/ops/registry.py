"""Loads every file of `ops`, so that the registry holds every op."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from placewise import ops


@functools.cache
def load_all() -> None:
    """Import every module of the package."""
    for module in pkgutil.walk_packages(ops.__path__, "placewise.ops."):
        importlib.import_module(module.name)
