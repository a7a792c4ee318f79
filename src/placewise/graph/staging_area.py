"""`StagingArea`: a place where values wait on their device for the next step."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import as_dtype
from placewise.graph.queues import FIFOQueue


class StagingArea:
    """A queue without room for doubt: `put` what the next step needs, `get` it there.

    >>> StagingArea([as_dtype("float32")]).dtypes
    [tf.float32]
    """

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if capacity < 0 or memory_limit < 0:
            raise ValueError("The capacity and the memory limit of a StagingArea must be >= 0")
        if memory_limit:
            raise NotImplementedError(
                "The memory limit of a StagingArea is not there yet: `capacity` limits how many "
                "elements wait"
            )
        self._dtypes = [as_dtype(dtype) for dtype in dtypes]
        self._capacity = capacity
        # Nothing is limited by default; a queue says so with -1.
        self._queue = FIFOQueue(
            capacity or -1, self._dtypes, shapes, names, shared_name, name="StagingArea"
        )

    @property
    def name(self) -> str:
        """The name."""
        return self._queue.name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of what is staged."""
        return self._dtypes

    @property
    def shapes(self) -> Any:
        """The shapes of what is staged."""
        return self._queue.shapes

    @property
    def names(self) -> Any:
        """The names of what is staged, or None."""
        return self._queue.names

    @property
    def capacity(self) -> int:
        """How many may wait; 0 for as many as there are."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes may wait; 0, as there is no limit."""
        return 0

    def put(self, values: Any, name: str | None = None) -> Any:
        """Return an operation that stages values, once there is room."""
        return self._queue.enqueue(values, name)

    def get(self, name: str | None = None) -> Any:
        """Return the values staged first, once there are any: a list, or a dictionary by name."""
        taken = self._queue.dequeue(name)
        return taken if isinstance(taken, (list, dict)) else [taken]

    def size(self, name: str | None = None) -> Any:
        """Return how many are staged."""
        return self._queue.size(name)
