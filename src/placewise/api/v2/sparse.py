"""tf.sparse: sparse tensors, in TF 2 spelling."""

from placewise.ops.math.sparse_segments import sparse_segment_mean as segment_mean  # noqa: F401
from placewise.ops.math.sparse_segments import sparse_segment_sqrt_n as segment_sqrt_n  # noqa: F401
from placewise.ops.math.sparse_segments import sparse_segment_sum as segment_sum  # noqa: F401
from placewise.ops.sparse.arithmetic import add as add
from placewise.ops.sparse.arithmetic import maximum as maximum
from placewise.ops.sparse.arithmetic import minimum as minimum
from placewise.ops.sparse.arrangement import concat as concat
from placewise.ops.sparse.arrangement import expand_dims as expand_dims
from placewise.ops.sparse.arrangement import eye as eye
from placewise.ops.sparse.arrangement import reorder as reorder
from placewise.ops.sparse.arrangement import reset_shape as reset_shape
from placewise.ops.sparse.arrangement import reshape as reshape
from placewise.ops.sparse.arrangement import retain as retain
from placewise.ops.sparse.arrangement import slice as slice
from placewise.ops.sparse.arrangement import split as split
from placewise.ops.sparse.arrangement import transpose as transpose
from placewise.ops.sparse.bincount import bincount as bincount
from placewise.ops.sparse.cross import cross as cross
from placewise.ops.sparse.cross import cross_hashed as cross_hashed
from placewise.ops.sparse.dense import from_dense as from_dense
from placewise.ops.sparse.dense import to_dense as to_dense
from placewise.ops.sparse.dense import to_indicator as to_indicator
from placewise.ops.sparse.matmul import sampled_addmm as sampled_addmm
from placewise.ops.sparse.matmul import sparse_dense_matmul as sparse_dense_matmul
from placewise.ops.sparse.reduction import reduce_max as reduce_max
from placewise.ops.sparse.reduction import reduce_sum as reduce_sum
from placewise.ops.sparse.rows import fill_empty_rows as fill_empty_rows
from placewise.ops.sparse.rows import map_values as map_values
from placewise.ops.sparse.rows import mask as mask
from placewise.ops.sparse.rows import softmax as softmax
from placewise.ops.sparse.sparse_tensor import SparseTensor as SparseTensor
