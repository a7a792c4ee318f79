"""tf.autograph.experimental: what TensorFlow keeps there."""

from placewise.functions.autograph.api import Feature as Feature
from placewise.functions.autograph.api import do_not_convert as do_not_convert
from placewise.functions.autograph.api import set_loop_options as set_loop_options
