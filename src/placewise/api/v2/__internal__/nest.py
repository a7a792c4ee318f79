"""tf.__internal__.nest: walks over structures that stop early or say where they are."""

from placewise.core.nest_paths import flatten_up_to as flatten_up_to
from placewise.core.nest_paths import (
    get_traverse_shallow_structure as get_traverse_shallow_structure,
)
from placewise.core.nest_paths import is_attrs as is_attrs
from placewise.core.nest_paths import is_mapping as is_mapping
from placewise.core.nest_paths import list_to_tuple as list_to_tuple
from placewise.core.nest_paths import map_structure_up_to as map_structure_up_to
from placewise.core.nest_paths import sequence_like as sequence_like
from placewise.core.nest_paths import yield_flat_paths as yield_flat_paths
