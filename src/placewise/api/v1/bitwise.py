"""tf.bitwise of TensorFlow 1: functions on the bits of integers."""

from placewise.ops.math.bitwise import bitwise_and as bitwise_and
from placewise.ops.math.bitwise import bitwise_or as bitwise_or
from placewise.ops.math.bitwise import bitwise_xor as bitwise_xor
from placewise.ops.math.bitwise import invert as invert
from placewise.ops.math.bitwise import left_shift as left_shift
from placewise.ops.math.bitwise import right_shift as right_shift
