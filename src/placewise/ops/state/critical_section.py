"""`tf.CriticalSection`: one function at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.names import uid
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.variable import is_variable


class CriticalSection:
    """Runs functions so that no two of them overlap, whatever thread they come from."""

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        self._name = name or f"critical_section_{uid()}"
        self._lock = threading.Lock()
        self._holder: int | None = None

    @property
    def name(self) -> str:
        """The section's name."""
        return self._name

    def execute(
        self,
        fn: Callable[..., Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """Call `fn` while nobody else is inside, and return what it returns."""
        if self._holder == threading.get_ident():
            raise ValueError(
                f"Attempting to lock a CriticalSection (name={self._name}) in which we are "
                "already running. This is illegal and may cause deadlocks."
            )
        with self._lock:
            self._holder = threading.get_ident()
            try:
                result = fn()
            finally:
                self._holder = None
        return nest.map_structure(
            lambda each: convert_to_tensor(each) if is_variable(each) else each, result
        )
