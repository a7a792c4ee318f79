"""Names of tf.contrib.util."""

from placewise.ops.io.tensor_proto import make_ndarray as make_ndarray
from placewise.ops.io.tensor_proto import make_tensor_proto as make_tensor_proto
from placewise.ops.array.static import constant_value as constant_value
