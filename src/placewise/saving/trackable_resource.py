"""`tf.saved_model.experimental.TrackableResource`, whose handles are made on a device."""

from __future__ import annotations

from placewise.core.trackable import TrackableResource
from placewise.eager.device_scope import device

TrackableResource._device_scope = device

__all__ = ["TrackableResource"]
