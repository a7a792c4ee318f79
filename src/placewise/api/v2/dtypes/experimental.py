"""tf.dtypes.experimental: the floats of 8 bits."""

from placewise.core.dtypes import float8_e4m3fn as float8_e4m3fn
from placewise.core.dtypes import float8_e5m2 as float8_e5m2
