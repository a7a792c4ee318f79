"""tf.experimental: what TensorFlow keeps there."""

from placewise.api.v2.experimental import dlpack as dlpack
from placewise.api.v2.experimental import extension_type as extension_type
from placewise.api.v2.experimental import numpy as numpy
from placewise.core.dtypes import float8_e4m3fn as float8_e4m3fn
from placewise.core.dtypes import float8_e5m2 as float8_e5m2
from placewise.data.optional import Optional as Optional
from placewise.eager.execution_modes import async_clear_error as async_clear_error
from placewise.eager.execution_modes import async_scope as async_scope
from placewise.eager.execution_modes import function_executor_type as function_executor_type
from placewise.ops.extension_type import ExtensionType as ExtensionType
from placewise.ops.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from placewise.ops.io.libraries import register_filesystem_plugin as register_filesystem_plugin
from placewise.ops.ragged.row_partition import RowPartition as RowPartition
from placewise.ops.ragged.shape import DynamicRaggedShape as DynamicRaggedShape
