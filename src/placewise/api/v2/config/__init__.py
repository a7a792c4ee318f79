"""tf.config: which devices there are, which are used, and how."""

from placewise.api.v2.config import experimental as experimental
from placewise.api.v2.config import gpu as gpu
from placewise.api.v2.config import optimizer as optimizer
from placewise.api.v2.config import threading as threading
from placewise.core.function_mode import functions_run_eagerly as functions_run_eagerly
from placewise.core.function_mode import run_functions_eagerly as run_functions_eagerly
from placewise.devices.configuration import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from placewise.devices.configuration import get_soft_device_placement as get_soft_device_placement
from placewise.devices.configuration import get_visible_devices as get_visible_devices
from placewise.devices.configuration import list_logical_devices as list_logical_devices
from placewise.devices.configuration import list_physical_devices as list_physical_devices
from placewise.devices.configuration import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from placewise.devices.configuration import set_soft_device_placement as set_soft_device_placement
from placewise.devices.configuration import set_visible_devices as set_visible_devices
from placewise.devices.handles import LogicalDevice as LogicalDevice
from placewise.devices.handles import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from placewise.devices.handles import PhysicalDevice as PhysicalDevice
from placewise.training.cluster_connection import (
    experimental_connect_to_cluster as experimental_connect_to_cluster,
)
from placewise.training.cluster_connection import (
    experimental_connect_to_host as experimental_connect_to_host,
)

experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly
