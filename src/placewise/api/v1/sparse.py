"""tf.sparse of TensorFlow 1: functions on sparse tensors."""

# ruff: noqa: F401 - names of a table, some under other names than at their source

from placewise.ops.sparse.arithmetic import maximum as maximum
from placewise.ops.sparse.arithmetic import minimum as minimum
from placewise.ops.sparse.arrangement import expand_dims as expand_dims
from placewise.ops.sparse.arrangement import eye as eye
from placewise.ops.sparse.arrangement import reorder as reorder
from placewise.ops.sparse.arrangement import reset_shape as reset_shape
from placewise.ops.sparse.arrangement import reshape as reshape
from placewise.ops.sparse.arrangement import retain as retain
from placewise.ops.sparse.arrangement import slice as slice
from placewise.ops.sparse.arrangement import transpose as transpose
from placewise.ops.sparse.cross import cross as cross
from placewise.ops.sparse.cross import cross_hashed as cross_hashed
from placewise.ops.sparse.dense import from_dense as from_dense
from placewise.ops.sparse.dense import to_dense as to_dense
from placewise.ops.sparse.dense import to_indicator as to_indicator
from placewise.ops.sparse.matmul import sparse_dense_matmul as matmul
from placewise.ops.sparse.matmul import sparse_dense_matmul as sparse_dense_matmul
from placewise.ops.sparse.merge import sparse_merge as merge
from placewise.ops.sparse.rows import fill_empty_rows as fill_empty_rows
from placewise.ops.sparse.rows import mask as mask
from placewise.ops.sparse.rows import softmax as softmax
from placewise.ops.sparse.sparse_tensor import SparseTensor as SparseTensor
from placewise.tf1.ops_sparse import add as add
from placewise.tf1.ops_sparse import concat as concat
from placewise.tf1.ops_sparse import placeholder as placeholder
from placewise.tf1.ops_sparse import reduce_max as reduce_max
from placewise.tf1.ops_sparse import reduce_max_sparse as reduce_max_sparse
from placewise.tf1.ops_sparse import reduce_sum as reduce_sum
from placewise.tf1.ops_sparse import reduce_sum_sparse as reduce_sum_sparse
from placewise.tf1.ops_sparse import segment_mean as segment_mean
from placewise.tf1.ops_sparse import segment_sqrt_n as segment_sqrt_n
from placewise.tf1.ops_sparse import segment_sum as segment_sum
from placewise.tf1.ops_sparse import split as split
