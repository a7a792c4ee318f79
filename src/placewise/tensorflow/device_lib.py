"""`tensorflow.python.client.device_lib`: the devices of this process as messages."""

from placewise.devices.local_devices import list_local_devices as list_local_devices
