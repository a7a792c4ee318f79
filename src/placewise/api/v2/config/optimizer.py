"""tf.config.optimizer: how graphs of functions are made faster."""

from placewise.core.function_mode import get_experimental_options as get_experimental_options
from placewise.core.function_mode import get_jit as get_jit
from placewise.core.function_mode import set_experimental_options as set_experimental_options
from placewise.core.function_mode import set_jit as set_jit
