"""What TensorFlow 1 writes down in its own way: the table through which ops' functions reach it."""

from placewise.graph.constants import ones as ones
from placewise.graph.constants import ones_like as ones_like
from placewise.graph.constants import rank as rank
from placewise.graph.constants import shape as shape
from placewise.graph.constants import size as size
from placewise.graph.constants import zeros as zeros
from placewise.graph.constants import zeros_like as zeros_like
from placewise.graph.random_values import random_uniform as random_uniform

__all__ = [
    "ones",
    "ones_like",
    "random_uniform",
    "rank",
    "shape",
    "size",
    "zeros",
    "zeros_like",
]
