"""The devices of a session, as `Session.list_devices` shows them."""

from __future__ import annotations

from typing import Any


class DeviceAttributes:
    """What a session tells about one device."""

    def __init__(self, device: Any) -> None:
        self.name: str = device.name
        self.device_type: str = device.kind
        # TensorFlow prints 256 MiB for a CPU, whatever it has.
        self.memory_limit_bytes: int = device.memory_limit_bytes or 268435456
        self.incarnation: int = device.incarnation

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation})"
        )
