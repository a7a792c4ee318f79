"""`tf.__internal__.load_context`: the options in force while a library loads a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core.runtime import State, runtime


class LoadContext(State, threading.local):
    """The options of the innermost block of this thread."""

    options: Any = None


_context = runtime.state(LoadContext)


@contextmanager
def load_context(load_options: Any) -> Iterator[None]:
    """Let `tf.saved_model.load` in a block use `load_options`, unless it is given others."""
    before = get_load_options()
    _context.options = load_options
    try:
        yield
    finally:
        _context.options = before


def get_load_options() -> Any:
    """Return the options in force in this thread, or None."""
    return _context.options
