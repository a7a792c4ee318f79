"""The named tuples by which `tf.config` names devices, and configures their division."""

from __future__ import annotations

from typing import NamedTuple


class PhysicalDevice(NamedTuple):
    """A device of this machine: `/physical_device:GPU:0`."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that programs run on: `/device:GPU:0`."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """One part of a divided device; `memory_limit` is in MB."""

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None
