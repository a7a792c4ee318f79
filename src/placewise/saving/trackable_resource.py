"""`TrackableResource`: state that a function makes, another fills; saved as those functions."""

from __future__ import annotations

from typing import Any

from placewise.core.trackable import AutoTrackable
from placewise.eager.device_scope import device as on_device


class TrackableResource(AutoTrackable):
    """Base of objects behind a resource handle; a subclass gives `_create_resource`."""

    def __init__(self, device: str = "") -> None:
        self._self_handle: Any = None
        self._resource_device = device

    def _create_resource(self) -> Any:
        """Return a new handle."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Fill the resource; nothing to do unless a subclass says so."""

    @property
    def resource_handle(self) -> Any:
        """The handle, made when it is first asked for."""
        if self._self_handle is None:
            with on_device(self._resource_device or None):
                self._self_handle = self._create_resource()
        return self._self_handle


TrackableResource.__module__ = "tensorflow.python.trackable.resource"
