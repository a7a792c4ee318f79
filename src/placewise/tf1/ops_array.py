"""Shapes, slices and arrangements in the spelling of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.scope import Scope, current
from placewise.ops.array import (
    blocks,
    creation,
    masks,
    reverse,
    scatter,
    where,
)
from placewise.ops.array import (
    gather as gathering,
)
from placewise.ops.array import shape as shapes
from placewise.ops.array import (
    split as splitting,
)
from placewise.ops.array import (
    transpose as transposing,
)
from placewise.ops.convert import only_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.linalg import diagonal
from placewise.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from placewise.tf1.spelling import only, spelled

squeeze = spelled(
    shapes.squeeze, "input, axis=None, name=None, squeeze_dims=None", squeeze_dims="axis"
)
transpose = spelled(transposing.transpose, "a, perm=None, name='transpose', conjugate=False")
gather_nd = spelled(
    gathering.gather_nd, "params, indices, name=None, batch_dims=0, bad_indices_policy=''"
)
boolean_mask = spelled(
    where.boolean_mask, "tensor, mask, name='boolean_mask', axis=None", "boolean_mask"
)
scatter_nd = spelled(scatter.scatter_nd, "indices, updates, shape, name=None")
tensor_scatter_nd_add = spelled(
    scatter.tensor_scatter_nd_add, "tensor, indices, updates, name=None"
)
tensor_scatter_nd_sub = spelled(
    scatter.tensor_scatter_nd_sub, "tensor, indices, updates, name=None"
)
tensor_scatter_nd_update = spelled(
    scatter.tensor_scatter_nd_update, "tensor, indices, updates, name=None"
)
reverse_sequence = spelled(
    reverse.reverse_sequence,
    "input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None",
    seq_dim="seq_axis",
    batch_dim="batch_axis",
)
space_to_depth = spelled(blocks.space_to_depth, "input, block_size, name=None, data_format='NHWC'")
depth_to_space = spelled(blocks.depth_to_space, "input, block_size, name=None, data_format='NHWC'")
matrix_diag_part = spelled(diagonal.diag_part, "input, name='diag_part', k=0, padding_value=0")
matrix_diag = spelled(
    diagonal.diag, "diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0"
)
matrix_set_diag = spelled(diagonal.set_diag, "input, diagonal, name='set_diag', k=0")
sequence_mask = spelled(
    masks.sequence_mask, "lengths, maxlen=None, dtype=bool, name=None", "SequenceMask"
)


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split"
) -> Any:
    """Return the list of parts of `value`, cut along an axis.

    `value`: any tensor of rank 1 or more.
    `num_or_size_splits`: the number of equal parts, or the sizes of the parts; one may be -1.
    `axis`: the axis to cut.
    `num`: how many parts there are, where the sizes are a tensor of unknown length.

    >>> [part.numpy().tolist() for part in tf.compat.v1.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    """
    return splitting.split(value, num_or_size_splits, axis, num, name)


def lin_space(start: TensorLike, stop: TensorLike, num: Any, name: str | None = None) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`."""
    if current.interpreter is Scope.eager:
        return creation.linspace(start, stop, num, name)
    return creation._lin_space(start, stop, num, name)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return `input` with one more dimension, of size 1, at `axis`.

    `input`: any tensor.
    `axis`: where the new dimension stands in the result; -1 appends it.
    `dim`: the former name of `axis`.

    Raises ValueError if neither, or both, are there.

    >>> tf.compat.v1.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    if dim is not None:
        axis = only("dim", dim, "axis", axis)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return shapes.expand_dims(input, axis, name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """Return the slices of `params` that `indices` names along an axis.

    `params`: the tensor, or variable, to take from.
    `indices`: integers of any shape, which replaces the axis in the result.
    `validate_indices`: has no effect; TensorFlow ignores it as well.
    `axis`: the axis to take along, by default the first after the batch.
    `batch_dims`: how many leading dimensions of both go together.

    An index out of range raises InvalidArgumentError on the CPU and gives zeros on a GPU.

    >>> tf.compat.v1.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    return gathering.gather(params, indices, None, axis, batch_dims, name)


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    """Return `input` with blocks of rows and columns moved into the batch."""
    return blocks.space_to_batch(input, _blocks(block_size, block_shape), paddings, name)


def batch_to_space(
    input: TensorLike, crops: Any, block_size: Any, name: str | None = None, block_shape: Any = None
) -> Any:
    """Return `input` with parts of the batch moved back into rows and columns."""
    return blocks.batch_to_space(input, _blocks(block_size, block_shape), crops, name)


def _blocks(size: Any, shape: Any) -> Any:
    if shape is not None:
        return only("block_shape", shape, "block_size", size)
    return [size, size]


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Return `value` as a tensor.

    `value`: a tensor, variable, NumPy array, Python number or string, or nested lists of these.
    `dtype`: the dtype the result must have; a tensor of another dtype is refused.
    `preferred_dtype`, `dtype_hint`: two names for the dtype to take for Python values if they allow
        it.

    Raises ValueError if a tensor has another dtype, TypeError if Python values do not fit `dtype`.

    >>> tf.compat.v1.convert_to_tensor([1, 2], tf.float32).dtype
    tf.float32
    """
    if preferred_dtype is not None:
        dtype_hint = only("preferred_dtype", preferred_dtype, "dtype_hint", dtype_hint)
    return only_tensor(value, dtype, dtype_hint, name)


def convert_to_tensor_or_indexed_slices(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Return `value` as a tensor, or as it is if it is IndexedSlices."""
    return value if isinstance(value, IndexedSlices) else only_tensor(value, dtype, None, name)


def convert_to_tensor_or_sparse_tensor(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Return `value` as a tensor, or as a SparseTensor if it is one or the value of one."""
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return only_tensor(value, dtype, None, name)
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {as_dtype(dtype).name},  Actual: {value.dtype.name}"
        )
    return value
