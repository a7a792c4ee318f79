"""Where the operations of a session's graph run: placed when first run, and when it has grown."""

from __future__ import annotations

import logging
import sys
from typing import Any

from placewise.core.scope import era
from placewise.placement.placer import place

_log = logging.getLogger("tensorflow")


class SessionPlacement:
    """The placement of a graph on a session's devices, kept until the graph grows."""

    def __init__(
        self, graph: Any, devices: tuple[Any, ...], config: Any, served: Any = None
    ) -> None:
        self._graph, self._devices, self._served = graph, devices, served
        self._soft = bool(config.allow_soft_placement) if config is not None else False
        self._log = bool(config.log_device_placement) if config is not None else False
        self._placed: dict[Any, Any] = {}
        self.decisions: dict[Any, Any] = {}  # why each operation is where it is
        self._version = -1
        if self._log:
            self._say(_mapping(devices))

    def is_outdated(self) -> bool:
        """Return True if operations were added since the graph was placed."""
        is_changed: bool = self._version != self._graph.version
        return is_changed

    def current(self) -> dict[Any, Any]:
        """Return operation → device for the whole graph."""
        if self.is_outdated():
            operations = self._graph.get_operations()
            if self._served is not None:
                self._served.check(operations)
            placed = place(operations, self._devices, self._soft, self._placed, is_tf1=era.is_tf1)
            for text in placed.warnings:
                _log.warning(text)
            self._version = len(operations)
            self._placed, self.decisions = placed.devices, placed.decisions
            if self._log:
                lines = [f"{op.name}: {device.name}" for op, device in placed.in_log_order()]
                self._say("".join(f"{line}\n" for line in (*placed.ignored, *lines)))
        return self._placed

    def _say(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def _mapping(devices: tuple[Any, ...]) -> str:
    lines = [f"{d.name} -> {d.description}\n" for d in devices if d.description]
    return "Device mapping:\n" + "".join(lines) if lines else "Device mapping: no known devices.\n"
