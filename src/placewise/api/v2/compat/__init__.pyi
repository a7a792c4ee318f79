# The table of tf.compat: one line a name, grouped by source.
import placewise

from placewise.api import v1 as v1
from placewise.tensorflow.horizon import forward_compatibility_horizon as forward_compatibility_horizon
from placewise.tensorflow.horizon import forward_compatible as forward_compatible
from placewise.tensorflow.shapes import dimension_at_index as dimension_at_index
from placewise.tensorflow.shapes import dimension_value as dimension_value
from placewise.tensorflow.text import as_bytes as as_bytes
from placewise.tensorflow.text import as_str as as_str
from placewise.tensorflow.text import as_str_any as as_str_any
from placewise.tensorflow.text import as_text as as_text
from placewise.tensorflow.text import bytes_or_text_types as bytes_or_text_types
from placewise.tensorflow.text import path_to_str as path_to_str
from placewise.tensorflow.types import complex_types as complex_types
from placewise.tensorflow.types import integral_types as integral_types
from placewise.tensorflow.types import real_types as real_types

v2 = placewise
