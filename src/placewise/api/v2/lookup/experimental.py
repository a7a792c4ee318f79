"""tf.lookup.experimental: tables that can change."""

from placewise.ops.lookup.classes import DenseHashTable as DenseHashTable
from placewise.ops.lookup.classes import MutableHashTable as MutableHashTable
