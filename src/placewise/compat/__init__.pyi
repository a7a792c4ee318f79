# The table of tf.compat: one line a name, grouped by source.
import placewise

from placewise.compat import v1 as v1
from placewise.compat.horizon import forward_compatibility_horizon as forward_compatibility_horizon
from placewise.compat.horizon import forward_compatible as forward_compatible
from placewise.compat.shapes import dimension_at_index as dimension_at_index
from placewise.compat.shapes import dimension_value as dimension_value
from placewise.compat.text import as_bytes as as_bytes
from placewise.compat.text import as_str as as_str
from placewise.compat.text import as_str_any as as_str_any
from placewise.compat.text import as_text as as_text
from placewise.compat.text import bytes_or_text_types as bytes_or_text_types
from placewise.compat.text import path_to_str as path_to_str
from placewise.compat.types import complex_types as complex_types
from placewise.compat.types import integral_types as integral_types
from placewise.compat.types import real_types as real_types

v2 = placewise
