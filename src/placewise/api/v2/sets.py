"""tf.sets: rows of the last axis as sets."""

from placewise.ops.array.set_operations import set_difference as difference  # noqa: F401
from placewise.ops.array.set_operations import set_intersection as intersection  # noqa: F401
from placewise.ops.array.set_operations import set_size as size  # noqa: F401
from placewise.ops.array.set_operations import set_union as union  # noqa: F401
