"""tf.nest: nested structures of tensors."""

from placewise.core.nest import assert_same_structure as assert_same_structure
from placewise.core.nest import flatten as flatten
from placewise.core.nest import is_nested as is_nested
from placewise.core.nest import map_structure as map_structure
from placewise.core.nest import pack_sequence_as as pack_sequence_as
