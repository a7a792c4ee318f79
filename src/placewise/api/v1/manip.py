"""tf.manip of TensorFlow 1: functions that move elements."""

from placewise.ops.array.blocks import batch_to_space_nd as batch_to_space_nd
from placewise.ops.array.blocks import space_to_batch_nd as space_to_batch_nd
from placewise.ops.array.reverse import reverse as reverse
from placewise.ops.array.reverse import roll as roll
from placewise.ops.array.shape import reshape as reshape
from placewise.ops.array.tile import tile as tile
from placewise.tf1.ops_array import gather_nd as gather_nd
from placewise.tf1.ops_array import scatter_nd as scatter_nd
