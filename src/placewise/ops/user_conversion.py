"""`tf.convert_to_tensor` and `tf.get_static_value` as programs call them.

The functions of these names in `convert.py` and `array/static.py` are the package's own: they let
sparse and ragged tensors pass. A table re-exports a name to type checkers only if it keeps it.
"""

from __future__ import annotations

from placewise.ops.array.static import constant_value
from placewise.ops.convert import only_tensor

convert_to_tensor = only_tensor
get_static_value = constant_value
