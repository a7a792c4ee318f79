"""Functions of ops that rules use although they are declared later: `lazy.reduce_sum(x)`.

Ops refer to each other in circles: the gradient of a sum broadcasts, the gradient of a broadcast
sums. A rule that needs an op of a module above its own calls it through this module.
"""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "array.broadcasting": "broadcast_dynamic_shape broadcast_gradient_args broadcast_to",
        "array.concat": "concat pack_nested",
        "array.padding": "pad",
        "array.scatter": "scatter_nd",
        "array.slice_ops": "slice_of=slice",
        "array.tile": "check_integer tile",
        "array.where": "where",
        "checkpoint.bundle_reader": "Bundle",
        "convert": "convert_to_tensor",
        "io.tensor_proto": "make_ndarray",
        "linalg.inverse": "triangular_solve",
        "linalg.operator_combined": (
            "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion"
        ),
        "linalg.operator_plain": "LinearOperatorLowerTriangular",
        "linalg.previous_ops": "matrix_diag matrix_set_diag",
        "math.arithmetic": "conjugate maximum minimum",
        "math.clip": "clip_by_value",
        "math.comparison": "equal",
        "math.complex_numbers": "conj imag real to_complex",
        "math.division": "divide_no_nan_op",
        "math.exponential": "log",
        "math.reduction": "reduce_prod reduce_sum",
        "math.scan": "cumprod",
        "math.sort": "invert_permutation",
        "math.unbroadcast": "sum_back written_back",
        "math.unsorted_segments": "product_gradient unsorted_segment_sum",
        "ragged.conversion": (
            "inner_row_lengths ragged_bounding_shape=bounding_shape ragged_from_sparse=from_sparse "
            "ragged_from_tensor=from_tensor ragged_merge_dims=merge_dims ragged_to_sparse=to_sparse"
        ),
        "ragged.dispatch": "ragged_run=run",
        "ragged.gather": "ragged_gather=gather ragged_gather_nd=gather_nd",
        "ragged.getitem": "ragged_getitem=getitem",
        "ragged.ragged_tensor": "RaggedTensor",
        "ragged.reduction": "ragged_join=join",
        "ragged.spec": "RaggedTensorSpec",
        "ragged.to_dense": "ragged_to_tensor=to_tensor",
        "sparse.arithmetic": "divide_dense multiply_dense",
        "sparse.dispatch": "sparse_run=run",
        "sparse.spec": "SparseTensorSpec",
        "tensor_array": "TensorArraySpec",
        "tf1_spelling": "tf1_known_shape=known_shape tf1_ones=ones tf1_shape=shape tf1_zeros=zeros",
    },
)
