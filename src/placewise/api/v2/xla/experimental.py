"""tf.xla.experimental: what TensorFlow keeps there."""

from placewise.functions.compiled_scopes import compile as compile
from placewise.functions.compiled_scopes import jit_scope as jit_scope
