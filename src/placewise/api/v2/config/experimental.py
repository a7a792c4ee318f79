"""tf.config.experimental: memory growth, policy and details of devices, and older spellings."""

# ruff: noqa: F401 - older spellings of names

from placewise.core.determinism import enable_op_determinism as enable_op_determinism
from placewise.core.determinism import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from placewise.core.determinism import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)
from placewise.core.function_mode import disable_mlir_bridge as disable_mlir_bridge
from placewise.core.function_mode import enable_mlir_bridge as enable_mlir_bridge
from placewise.devices.configuration import get_device_details as get_device_details
from placewise.devices.configuration import get_device_policy as get_device_policy
from placewise.devices.configuration import (
    get_logical_device_configuration as get_virtual_device_configuration,
)
from placewise.devices.configuration import get_memory_growth as get_memory_growth
from placewise.devices.configuration import get_visible_devices as get_visible_devices
from placewise.devices.configuration import list_logical_devices as list_logical_devices
from placewise.devices.configuration import list_physical_devices as list_physical_devices
from placewise.devices.configuration import set_device_policy as set_device_policy
from placewise.devices.configuration import (
    set_logical_device_configuration as set_virtual_device_configuration,
)
from placewise.devices.configuration import set_memory_growth as set_memory_growth
from placewise.devices.configuration import set_visible_devices as set_visible_devices
from placewise.devices.handles import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from placewise.eager.execution_modes import get_synchronous_execution as get_synchronous_execution
from placewise.eager.execution_modes import set_synchronous_execution as set_synchronous_execution
from placewise.memory.queries import get_memory_info as get_memory_info
from placewise.memory.queries import get_memory_usage as get_memory_usage
from placewise.memory.queries import reset_memory_stats as reset_memory_stats
from placewise.training.cluster_connection import ClusterDeviceFilters as ClusterDeviceFilters
