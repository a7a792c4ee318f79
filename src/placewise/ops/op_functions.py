"""Ops as functions of positional inputs, for the handlers of libraries (`core/dispatchers.py`)."""

from __future__ import annotations

import functools
from typing import Any

from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_all

PREFIX = "raw_ops."


@functools.cache
def op_function(name: str) -> Any:
    """Return the function that runs an op on its inputs in order, its attributes by name."""
    if name not in REGISTRY:
        load_all()
    declared = REGISTRY[name]

    def run(*inputs: Any, **attrs: Any) -> Any:
        return declared.bind(*inputs, **attrs)

    run.__name__ = run.__qualname__ = name
    run.__tf_name__ = PREFIX + name  # type: ignore[attr-defined]  # a model that is saved has it
    return run
