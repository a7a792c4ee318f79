"""tf.sets of TensorFlow 1: operations on sets."""

from placewise.ops.array.set_operations import set_difference as difference  # noqa: F401
from placewise.ops.array.set_operations import set_intersection as intersection  # noqa: F401
from placewise.ops.array.set_operations import set_difference as set_difference
from placewise.ops.array.set_operations import set_intersection as set_intersection
from placewise.ops.array.set_operations import set_size as set_size
from placewise.ops.array.set_operations import set_union as set_union
from placewise.ops.array.set_operations import set_size as size  # noqa: F401
from placewise.ops.array.set_operations import set_union as union  # noqa: F401
