"""Where the operations of a session's graph run: placed when first run, and when it has grown."""

from __future__ import annotations

import logging
import sys
from typing import Any

from placewise.core.scope import era
from placewise.devices.inventory import places_automatically
from placewise.placement.placer import Placement
from placewise.planning.automatic.placement import (
    Circumstances,
    Request,
    free_bytes_of,
    place_automatically,
)

_FED = frozenset({"Placeholder", "PlaceholderV2"})
_log = logging.getLogger("tensorflow")


class SessionPlacement:
    """The placement of a graph on a session's devices, kept until the graph grows.

    Automatic placement considers the whole graph at the first run, mostly that of the initialisers:
    where a variable is decided then stays. Other operations are decided again at the first run that
    feeds a tensor of a size that the graph leaves open.
    """

    def __init__(
        self, graph: Any, devices: tuple[Any, ...], config: Any, served: Any = None
    ) -> None:
        self._graph, self._devices, self._served = graph, devices, served
        self._soft = bool(config.allow_soft_placement) if config is not None else False
        self._log = bool(config.log_device_placement) if config is not None else False
        self._placed: dict[Any, Any] = {}
        self.decisions: dict[Any, Any] = {}  # why each operation is where it is
        self.assignment: Any = None  # of automatic placement
        self._version = -1
        self._free_bytes: dict[Any, int] = {}  # before this session took any
        self._shapes: dict[Any, tuple[int, ...]] = {}  # of tensors that were fed
        # Automatic placement wants to know the sizes of what is fed.
        self.is_open = served is None and places_automatically()
        if self._log:
            self._say(_mapping(devices))

    def is_outdated(self) -> bool:
        """Return True if operations were added since the graph was placed."""
        is_changed: bool = self._version != self._graph.version
        return is_changed

    def note_fed(self, tensors: Any, arrays: Any) -> None:
        """Learn the shapes of what is fed: automatic placement decides anew by the first ones."""
        for tensor, array in zip(tensors, arrays, strict=True):
            dims = tensor._dims
            if tensor not in self._shapes and (dims is None or None in dims):
                self._shapes[tensor] = array.shape
                self._version = -1

    def current(self) -> dict[Any, Any]:
        """Return operation → device for the whole graph."""
        if self.is_outdated():
            operations = self._graph.get_operations()
            placed = self._place(operations)
            for text in placed.warnings:
                _log.warning(text)
            self._version = len(operations)
            self._placed, self.decisions = placed.devices, placed.decisions
            self.assignment = placed.assignment
            if self._log:
                lines = [f"{op.name}: {device.name}" for op, device in placed.in_log_order()]
                self._say("".join(f"{line}\n" for line in (*placed.ignored, *lines)))
        return self._placed

    def _place(self, operations: list[Any]) -> Placement:
        request = Request(operations, self._devices, self._soft, self._placed, is_tf1=era.is_tf1)
        if self._served is not None or not places_automatically():
            return request.place()
        if not self._free_bytes:
            self._free_bytes = free_bytes_of(self._devices)
        placed = place_automatically(
            request,
            Circumstances(
                self._shapes,
                fed=[op.outputs[0] for op in operations if op.type in _FED],
                free_bytes=self._free_bytes,
            ),
        )
        self.is_open = placed.assignment is not None and placed.assignment.has_assumed_sizes
        return placed

    def _say(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def _mapping(devices: tuple[Any, ...]) -> str:
    lines = [f"{d.name} -> {d.description}\n" for d in devices if d.description]
    return "Device mapping:\n" + "".join(lines) if lines else "Device mapping: no known devices.\n"
