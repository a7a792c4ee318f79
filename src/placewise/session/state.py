"""What operations keep from one call of a plan to the next: random numbers, and state by handle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.memory.variables import name_variable
from placewise.ops.random.streams import Stream, check_seeds
from placewise.ops.values import Handle

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.graph.operation import Operation


class State:
    """The streams and handles of the operations of one graph, made when first asked for."""

    def __init__(self, make_stream: Callable[[Any, Any], Any] = Stream) -> None:
        self.handles: dict[Any, Handle] = {}
        self._streams: dict[int, Any] = {}
        self._make_stream = make_stream

    def stream(self, op: Operation) -> Any:
        """Return the random numbers of an operation, which go on from call to call."""
        stream = self._streams.get(op.id)
        if stream is None:
            seeds = op.attrs["seed"], op.attrs["seed2"]
            check_seeds(*seeds)
            stream = self._make_stream(*seeds)
            self._streams[op.id] = stream
        return stream

    def handle(self, op: Operation, device: Device) -> Handle:
        """Return the state of an operation that makes some."""
        handle = self.handles.get(op.id)
        if handle is None:
            handle = op.declaration.kernel_for(device, ())(**op.attrs)
            handle.device = device
            name_variable(handle, op.name, op.origin)
            self.handles[op.id] = handle
        return handle


class SharedState(State):
    """The state of a session: operations with the same shared name have the same state."""

    def handle(self, op: Operation, device: Device) -> Handle:
        """Return the session's state for an operation that makes some, by its shared name."""
        shared = op.attrs.get("shared_name") or op.name
        handle = self.known_handle(op)
        if handle is None:
            # Without a shared name the kernel makes state nobody else has: it is the session's.
            attrs = {**op.attrs, "shared_name": ""} if "shared_name" in op.attrs else op.attrs
            handle = op.declaration.kernel_for(device, ())(**attrs)
            handle.name, handle.device = shared, device
            name_variable(handle, shared, op.origin)
            self.handles[_key(op)] = handle
        return handle

    def known_handle(self, op: Operation) -> Handle | None:
        """Return the session's state for an operation; None if there is none yet."""
        return self.handles.get(_key(op))


def _key(op: Operation) -> tuple[str, str, str]:
    return op.type, op.attrs.get("container", ""), op.attrs.get("shared_name") or op.name
