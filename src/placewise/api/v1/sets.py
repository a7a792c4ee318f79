"""tf.sets of TensorFlow 1: operations on sets."""

# ruff: noqa: F401 - names of a table, some under other names than at their source

from placewise.ops.array.set_operations import set_difference as difference
from placewise.ops.array.set_operations import set_difference as set_difference
from placewise.ops.array.set_operations import set_intersection as intersection
from placewise.ops.array.set_operations import set_intersection as set_intersection
from placewise.ops.array.set_operations import set_size as set_size
from placewise.ops.array.set_operations import set_size as size
from placewise.ops.array.set_operations import set_union as set_union
from placewise.ops.array.set_operations import set_union as union
