"""tf.__operators__: the functions behind operators of tensors."""

from placewise.ops.array.indexing import getitem as getitem
from placewise.ops.math.arithmetic import add as add
from placewise.ops.ragged.getitem import getitem as ragged_getitem

__all__ = ["add", "getitem", "ragged_getitem"]
