"""`tf.__internal__.load_context`: the options in force while a library loads a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_threads = threading.local()


@contextmanager
def load_context(load_options: Any) -> Iterator[None]:
    """Let `tf.saved_model.load` in a block use `load_options`, unless it is given others."""
    before = get_load_options()
    _threads.options = load_options
    try:
        yield
    finally:
        _threads.options = before


def get_load_options() -> Any:
    """Return the options in force in this thread, or None."""
    return getattr(_threads, "options", None)
