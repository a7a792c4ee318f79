"""The devices of a session, as `Session.list_devices` shows them."""

from __future__ import annotations

from typing import Any

from placewise.devices.local_devices import shown_limit_bytes


class DeviceAttributes:
    """One device as a session lists it."""

    def __init__(self, device: Any) -> None:
        self.name: str = device.name
        self.device_type: str = device.kind
        self.memory_limit_bytes: int = shown_limit_bytes(device)
        self.incarnation: int = device.incarnation

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation})"
        )
