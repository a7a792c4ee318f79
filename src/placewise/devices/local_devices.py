"""`device_lib.list_local_devices`: the devices of this process as DeviceAttributes messages."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from placewise import messages
from placewise.core.scope import watch
from placewise.devices.claims import in_force
from placewise.devices.device import Device
from placewise.devices.inventory import devices_for

# The nominal figure TensorFlow prints for a CPU, whose memory has no limit.
CPU_MEMORY_LIMIT = 256 << 20
_FIRST_GPU_ID = 416903419


def list_local_devices(session_config: Any = None) -> list[Any]:
    """Return a DeviceAttributes for every device that a session with this ConfigProto would have.

    The limit of a GPU that is in use is the one in force. Each call gives new random `incarnation`
    numbers. Does not start the devices of `tf.config`.
    """
    watch.note_listing()
    return [to_attributes(device) for device in devices_for(session_config)]


def to_attributes(device: Device) -> Any:
    """Return the DeviceAttributes message of a device."""
    attributes = messages.DeviceAttributes(
        name=device.local_name,
        device_type=device.kind,
        memory_limit=shown_limit_bytes(device),
        incarnation=secrets.randbits(64),
        physical_device_desc=device.description,
        xla_global_id=_global_id(device),
    )
    attributes.locality.SetInParent()
    if device.card is not None:
        # Buses are numbered from 1; unknown counts as the first.
        attributes.locality.bus_id = (device.card.numa_node or 0) + 1
        attributes.locality.numa_node = device.card.numa_node or 0
        attributes.locality.links.SetInParent()
    return attributes


def shown_limit_bytes(device: Device) -> int:
    """Return the limit in force on a device, as listings show it."""
    budget = in_force(device)
    return CPU_MEMORY_LIMIT if budget is None else budget.limit_bytes


def _global_id(device: Device) -> int:
    """Return a number that is the same in every run, as XLA's is."""
    if device.card is None:
        return -1
    if device.index == 0:
        return _FIRST_GPU_ID
    digest = hashlib.sha256(device.name.encode()).digest()
    return int.from_bytes(digest[:4], "big") & 0x7FFFFFFF
