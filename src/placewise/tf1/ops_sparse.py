"""Functions on sparse tensors in the spelling of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.shapes import TensorShape
from placewise.graph.inputs import placeholder as dense_placeholder
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math import sparse_segments
from placewise.ops.sparse import arithmetic, arrangement, dense, reduction
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.tf1.spelling import only, spelled

add = spelled(arithmetic.add, "a, b, threshold=None, thresh=None", thresh="threshold")
concat = spelled(
    arrangement.concat,
    "axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None,"
    " expand_nonconcat_dims=None",
    expand_nonconcat_dim=None,
    concat_dim=None,
)
_REDUCED = "sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None"
_OLD: dict[str, Any] = {"reduction_axes": "axis", "keep_dims": "keepdims"}
reduce_max = spelled(reduction.reduce_max, _REDUCED, **_OLD)
reduce_sum = spelled(reduction.reduce_sum, _REDUCED, **_OLD)


def _sparsely(function: Any) -> Any:
    def reduced(sp_input: Any, **options: Any) -> Any:
        return function(sp_input, output_is_sparse=True, **options)

    reduced.__name__, reduced.__doc__ = f"{function.__name__}_sparse", function.__doc__
    return reduced


reduce_max_sparse = spelled(_sparsely(reduction.reduce_max), _REDUCED, **_OLD)
reduce_sum_sparse = spelled(_sparsely(reduction.reduce_sum), _REDUCED, **_OLD)
_SEGMENTS = "data, indices, segment_ids, name=None, num_segments=None"
segment_mean = spelled(sparse_segments.sparse_segment_mean, _SEGMENTS)
segment_sqrt_n = spelled(sparse_segments.sparse_segment_sqrt_n, _SEGMENTS)
segment_sum = spelled(sparse_segments.sparse_segment_sum, _SEGMENTS)
to_dense = spelled(dense.to_dense, "sp_input, default_value=None, validate_indices=True, name=None")


def split(
    keyword_required: Any = None,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> Any:
    """Return the parts of a sparse tensor cut along an axis; arguments by name only."""
    if keyword_required is not None:
        raise ValueError("Keyword arguments are required for this function.")
    if split_dim is not None:
        axis = only("split_dim", split_dim, "axis", axis)
    for value, what in ((sp_input, "sp_input"), (num_split, "num_split"), (axis, "axis")):
        if value is None:
            raise ValueError(f"{what} is required")
    return arrangement.split(sp_input, num_split, axis, name)


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Return a sparse tensor that is fed when the graph runs."""
    known = None if shape is None else TensorShape(shape)
    rank = None if known is None else known.rank
    prefix = f"{name}/" if name else ""
    if known is not None and known.is_fully_defined():
        size = convert_to_tensor(known.as_list(), dtypes.int64, name=f"{prefix}shape")
    else:
        size = dense_placeholder(dtypes.int64, [rank], f"{prefix}shape")
    made = SparseTensor(
        indices=dense_placeholder(dtypes.int64, [None, rank], f"{prefix}indices"),
        values=dense_placeholder(dtype, [None], f"{prefix}values"),
        dense_shape=size,
    )
    if known is not None:
        made.set_shape(known)
    return made
