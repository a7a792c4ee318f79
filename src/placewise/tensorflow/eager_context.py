"""`tensorflow.python.eager.context`: what libraries ask of the eager runtime."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core.scope import Scope, current, era, watch
from placewise.devices import inventory as devices
from placewise.devices.configuration import (
    set_log_device_placement as set_log_device_placement,
)
from placewise.eager import context as eager
from placewise.eager.device_scope import device
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.context import executing_eagerly as executing_eagerly
from placewise.ops.flow.context import init_scope as eager_mode
from placewise.ops.random.streams import SEEDS, set_seed
from placewise.ops.values import ANONYMOUS


class Context:
    """The eager runtime, as an object."""

    def clear_kernel_cache(self) -> None:
        """Forget how ops were placed; it is worked out anew."""
        eager.forget()

    def ensure_initialized(self) -> None:
        """Look which devices there are, if nobody has yet."""
        devices.inventory()

    def executing_eagerly(self) -> bool:
        """Return True where an op runs as soon as it is called."""
        return executing_eagerly()

    def num_gpus(self) -> int:
        """Return how many GPUs there are."""
        watch.note_listing()
        return len(devices.inventory().of_kind("GPU"))

    def devices(self) -> list[str]:
        """Return the names of all devices."""
        watch.note_listing()
        return [each.name for each in devices.inventory().devices]

    list_logical_devices_names = devices

    @property
    def device_name(self) -> str:
        """The device asked for here."""
        return current.request

    def device(self, name: Any) -> Any:
        """Ask for a device in a `with` block."""
        return device(name)

    def async_wait(self) -> None:
        """Wait for nothing: ops are done when they return."""

    sync_executors = async_wait

    def _set_global_seed(self, seed: Any) -> None:
        set_seed(seed)

    def _internal_operation_seed(self) -> int:
        return SEEDS.next_op_seed()

    @property
    def soft_device_placement(self) -> bool:
        """May an op run elsewhere than asked?"""
        return bool(devices.settings().soft_placement)


_context = Context()


def context() -> Context:
    """Return the runtime."""
    return _context


def async_wait() -> None:
    """Wait for nothing: ops are done when they return."""


def num_gpus() -> int:
    """Return how many GPUs there are."""
    return _context.num_gpus()


def global_seed() -> Any:
    """Return the global seed, or None."""
    return SEEDS.seed


def in_eager_mode() -> bool:
    """Return True where an op runs as soon as it is called."""
    return executing_eagerly()


def graph_mode() -> Any:
    """Write ops of a `with` block into the default graph."""
    return get_default_graph().as_default()


def get_device_name() -> str:
    """Return the device asked for here."""
    return current.request


def get_config() -> Any:
    """Return the settings of sessions that Keras makes."""
    return messages.ConfigProto(allow_soft_placement=True)


def _reset_context() -> None:
    """Let devices be chosen anew, as in a process that has just begun."""
    devices.reset()
    current.interpreter = era.base or Scope.eager


EAGER_MODE, GRAPH_MODE = 1, 0


def anonymous_name() -> str:
    """Return the shared name of resources that nobody shares: each use makes another one."""
    return ANONYMOUS


__all__ = [
    "EAGER_MODE",
    "GRAPH_MODE",
    "Context",
    "anonymous_name",
    "async_wait",
    "context",
    "eager_mode",
    "executing_eagerly",
    "get_config",
    "get_device_name",
    "global_seed",
    "graph_mode",
    "in_eager_mode",
    "num_gpus",
]
