"""Sparse tensors reordered, reshaped, joined, cut, filtered and given more dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, DTypeLike, TensorLike
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.array import shape as shapes
from placewise.ops.array.concat import concat as dense_concat
from placewise.ops.array.concat import stack
from placewise.ops.array.creation import ones, zeros
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.out_of_range import are_inside
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import identity, shape_of
from placewise.ops.array.static import get_static_value
from placewise.ops.array.where import boolean_mask, where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_all, reduce_max
from placewise.ops.ragged import row_splits
from placewise.ops.sparse.places import (
    bracketed_row,
    check_inside,
    check_parts,
    check_sizes,
    check_whole,
    flat_numbers,
    like,
    numbers,
    row_order,
    taken,
)
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse
from placewise.ops.values import from_numpy

sparse_reorder = define(
    "SparseReorder(input_indices: int64, input_values: T, input_shape: int64)"
    " -> output_indices: int64, output_values: T",
    host=("input_shape",),
    doc="Return places and values in row-major order.",
)


@sparse_reorder.shape
def sparse_reorder_shape(
    input_indices: Static, input_values: Static, input_shape: Static
) -> list[Dims]:
    return [input_indices.shape, input_values.shape]


@sparse_reorder.kernel
def sparse_reorder_kernel(
    input_indices: torch.Tensor, input_values: Any, input_shape: np.ndarray[Any, Any]
) -> Any:
    check_parts(input_indices, input_values, input_shape)
    if input_indices.is_cpu:
        check_inside(numbers(input_indices), input_shape)
    rows = row_order(input_indices, input_shape)
    if rows.is_cpu and (rows.numpy() == np.arange(len(rows))).all():
        return input_indices, input_values
    return input_indices.index_select(0, rows), taken(input_values, rows)


@sparse_reorder.gradient
def sparse_reorder_gradient(call: Call, _: Tensor, dy: Tensor) -> Any:
    indices, values, dims = call.inputs
    _, rows = sparse_reorder(indices, range_of(shapes.size(values, dtypes.int64)), dims)
    return (
        None,
        scatter_nd(shapes.expand_dims(rows, 1), dy, shapes.shape(values, dtypes.int64)),
        None,
    )


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return the same sparse tensor with its places in row-major order."""
    sp = as_sparse(sp_input)
    indices, values = sparse_reorder(sp.indices, sp.values, sp.dense_shape, name)
    made = SparseTensor(indices, values, sp.dense_shape)
    made.set_shape(sp.shape)
    return made


sparse_reshape = define(
    "SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64)"
    " -> output_indices: int64, output_shape: int64",
    host=("input_shape", "new_shape", "output_shape"),
    differentiable=False,
    doc="Return the places of a sparse tensor in another shape.",
)


@sparse_reshape.shape
def sparse_reshape_shape(
    input_indices: Static, input_shape: Static, new_shape: Static
) -> list[Dims]:
    rank = new_shape.shape[0] if new_shape.shape else None
    count = input_indices.shape[0] if input_indices.shape else None
    return [(count, rank), (rank,)]


@sparse_reshape.kernel
def sparse_reshape_kernel(
    input_indices: torch.Tensor, input_shape: np.ndarray[Any, Any], new_shape: np.ndarray[Any, Any]
) -> Any:
    if input_indices.ndim != 2:
        raise invalid(
            "Input indices should be a matrix but received shape "
            f"{bracketed_row(input_indices.shape)}"
        )
    check_sizes(input_shape)
    total = math.prod(input_shape.tolist())
    if total >= 2**63:
        raise invalid(
            f"Shape {bracketed_row(input_shape)} results in overflow when computing number of "
            "elements"
        )
    wanted = new_shape.tolist()
    unknown = [axis for axis, size in enumerate(wanted) if size == -1]
    if len(unknown) > 1:
        raise invalid(
            f"only one output dimension may be -1, not both {unknown[0]} and {unknown[1]}"
        )
    if any(size < -1 for size in wanted):
        axis = next(axis for axis, size in enumerate(wanted) if size < -1)
        raise invalid(f"size {axis} must be non-negative, not {wanted[axis]}")
    known = math.prod([size for size in wanted if size != -1])
    if len(input_indices) and not (total and known):
        raise invalid(
            f"Input tensor has {len(input_indices)} non zero elements but input shape "
            f"({bracketed_row(input_shape)}) or output shape ({bracketed_row(new_shape)}) is empty"
        )
    if unknown:
        if not known:
            raise invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all "
                "specified input sizes are non-zero"
            )
        if total % known:
            raise invalid(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested "
                f"shape requires a multiple of {known}. "
                f"input_shape={bracketed_row(input_shape)} output_shape={bracketed_row(wanted)}"
            )
        wanted[unknown[0]] = total // known
    elif known != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{known}. input_shape={bracketed_row(input_shape)} "
            f"output_shape={bracketed_row(wanted)}"
        )
    rest = flat_numbers(input_indices, input_shape)
    made = input_indices.new_empty(len(rest), len(wanted))
    for axis in reversed(range(len(wanted))):
        size = max(wanted[axis], 1)
        made[:, axis] = rest % size
        rest = torch.div(rest, size, rounding_mode="floor")
    return made, from_numpy(np.asarray(wanted, np.int64))


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Return the same values in another shape; one dimension may be -1: what is left."""
    sp = as_sparse(sp_input)
    target = convert_to_tensor(shape, dtypes.int64) if not hasattr(shape, "dtype") else shape
    if target.dtype is not dtypes.int64:
        target = cast(target, dtypes.int64)
    indices, dense_shape = sparse_reshape(sp.indices, sp.dense_shape, target, name)
    return SparseTensor(indices, sp.values, dense_shape)


def transpose(
    sp_input: Any, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """Return a sparse tensor with its dimensions in another order: reversed, or `perm`."""
    sp = as_sparse(sp_input)
    rank = sp.dense_shape.shape[0]
    wanted = list(range(rank))[::-1] if perm is None else np.asarray(perm).reshape(-1).tolist()
    if len(wanted) != rank:
        raise ValueError(f"Dimensions {len(wanted)} and {rank} are not compatible")
    axes = convert_to_tensor(wanted)
    moved = SparseTensor(gather(sp.indices, axes, axis=1), sp.values, gather(sp.dense_shape, axes))
    return reorder(moved)


sparse_concat = define(
    "SparseConcat(indices: N*int64 >= 2, values: N*T >= 2, shapes: N*int64 >= 2; concat_dim: int)"
    " -> output_indices: int64, output_values: T, output_shape: int64",
    host=("shapes", "output_shape"),
    differentiable=False,
    doc="Return sparse tensors joined along a dimension.",
)


@sparse_concat.shape
def sparse_concat_shape(
    indices: list[Static], values: list[Static], shapes: list[Static], *, concat_dim: int
) -> list[Dims]:
    counts = [each.shape[0] if each.shape else None for each in values]
    total = None if None in counts else sum(counts)  # type: ignore[arg-type]
    rank = shapes[0].shape[0] if shapes[0].shape else None
    return [(total, rank), (total,), (rank,)]


@sparse_concat.kernel
def sparse_concat_kernel(
    indices: list[torch.Tensor], values: Any, shapes: list[np.ndarray[Any, Any]], *, concat_dim: int
) -> Any:
    rank = len(shapes[0])
    if not -rank <= concat_dim < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    axis = concat_dim % rank
    result = shapes[0].copy()
    moved = [indices[0]]
    for position, (places, shape) in enumerate(zip(indices[1:], shapes[1:], strict=True), 1):
        if len(shape) != rank:
            raise invalid(
                f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at "
                f"position {position}"
            )
        for dim in range(rank):
            if dim != axis and shape[dim] != result[dim]:
                raise invalid(
                    f"Input shapes must match: expected {result[dim]} for dimension {dim} but got "
                    f"{shape[dim]} at position {position}"
                )
        moved.append(places.clone())
        moved[-1][:, axis] += int(result[axis])
        result[axis] += shape[axis]
    joined = torch.cat(moved)
    rows = row_order(joined, result)
    if isinstance(values[0], np.ndarray):
        together: Any = np.concatenate(values)
    else:
        together = torch.cat(list(values))
    return joined.index_select(0, rows), taken(together, rows), from_numpy(result)


def concat(
    axis: AxisLike,
    sp_inputs: Sequence[Any],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return sparse tensors joined along `axis`.

    `expand_nonconcat_dims` lets the other dimensions differ: the largest is taken.
    """
    several = [as_sparse(each) for each in sp_inputs]
    if not several:
        raise ValueError("sp_inputs may not be empty: there is nothing to join")
    if len(several) == 1:
        return several[0]
    shapes = [each.dense_shape for each in several]
    at = int(get_static_value(axis))
    if expand_nonconcat_dims:
        shapes = _grown(shapes, at)
    parts = sparse_concat(
        [each.indices for each in several],
        [each.values for each in several],
        shapes,
        concat_dim=at,
        name=name,
    )
    made = SparseTensor(*parts)
    if not expand_nonconcat_dims:
        made.set_shape(_joined_shape([each.shape for each in several], at))
    return made


def _joined_shape(shapes: list[Any], at: int) -> Any:
    """Return what is known of the shape of tensors joined along an axis."""
    whole = shapes[0]
    if any(each.rank is None for each in shapes) or not -whole.rank <= at < whole.rank:
        return TensorShape(None)
    at %= whole.rank
    sizes = [each[at] for each in shapes]
    open_shapes = [each[:at].concatenate([None]).concatenate(each[at + 1 :]) for each in shapes]
    for each in open_shapes[1:]:
        open_shapes[0] = open_shapes[0].merge_with(each)
    total = None if None in sizes else sum(sizes)
    return open_shapes[0].merge_with([*[None] * at, total, *[None] * (whole.rank - at - 1)])


def _grown(shapes: list[Any], at: int) -> list[Any]:
    """Return shapes with the largest size of each dimension but the one at `at`."""
    own = np.zeros(shapes[0].shape[0], bool)
    own[at] = True
    largest = reduce_max(stack(shapes), 0)
    return [where(own, each, largest) for each in shapes]


sparse_slice_op = define(
    "SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64)"
    " -> output_indices: int64, output_values: T, output_shape: int64",
    host=("shape", "start", "size", "output_shape"),
    doc="Return the part of a sparse tensor that is in a box.",
)


@sparse_slice_op.shape
def sparse_slice_shape(
    indices: Static, values: Static, shape: Static, start: Static, size: Static
) -> list[Dims]:
    rank = shape.shape[0] if shape.shape else None
    return [(None, rank), (None,), (rank,)]


def _kept_rows(indices: torch.Tensor, start: list[int], end: list[int]) -> Any:
    if indices.is_cpu:
        kept = np.ones(len(indices), bool)
        for column, low, high in zip(numbers(indices).T, start, end, strict=True):
            kept &= (column >= low) & (column < high)
        return torch.from_numpy(np.flatnonzero(kept))
    is_kept = torch.ones(len(indices), dtype=torch.bool, device=indices.device)
    for axis, (first, stop) in enumerate(zip(start, end, strict=True)):
        is_kept &= (indices[:, axis] >= first) & (indices[:, axis] < stop)
    # How many are left is the size of the result: this waits for a device, as TensorFlow does.
    return torch.nonzero(is_kept)[:, 0]


def _check_counts(indices: Any, values: Any, shape: Any) -> None:
    """Refuse parts of unequal sizes in the words of this op, which differ from the others'."""
    if (len(indices), len(values), len(shape)) != (2, 1, 1):
        return
    if indices[0] != values[0]:
        raise invalid(
            f"Number of elements in indices ({indices[0]}) and values ({values[0]}) do not match"
        )
    if indices[1] != shape[0]:
        raise invalid(f"Index rank ({indices[1]}) and shape rank ({shape[0]}) do not match")


@sparse_slice_op.kernel
def sparse_slice_kernel(
    indices: torch.Tensor,
    values: Any,
    shape: np.ndarray[Any, Any],
    start: np.ndarray[Any, Any],
    size: np.ndarray[Any, Any],
) -> Any:
    _check_counts(indices.shape, values.shape, shape.shape)
    check_parts(indices, values, shape)
    check_sizes(shape)
    if len(start) != len(shape):
        raise invalid(
            f"Expected start to be a vector of length {len(shape)} but got length {len(start)}"
        )
    if len(size) != len(shape):
        raise invalid(
            f"Expected size to be a vector of length {len(shape)} but got length {len(size)}"
        )
    firsts, sizes = start.tolist(), size.tolist()
    for count in sizes:
        if count < 0:
            raise invalid(f"Expected a non-negative size, got {count}")
    # Python's integers: the sum of two large int64 would wrap around.
    end = [
        min(first + count, limit)
        for first, count, limit in zip(firsts, sizes, shape.tolist(), strict=True)
    ]
    rows = _kept_rows(indices, firsts, end)
    moved = indices.index_select(0, rows)
    for axis, first in enumerate(firsts):
        moved[:, axis] -= first
    result = np.array(
        [max(stop - first, 0) for first, stop in zip(firsts, end, strict=True)], np.int64
    )
    return moved, taken(values, rows), from_numpy(result)


@sparse_slice_op.gradient
def sparse_slice_gradient(call: Call, _: Tensor, dy: Tensor, __: Tensor) -> Any:
    indices, _, _, start, _ = call.inputs
    return None, sparse_slice_grad(dy, indices, start, call.outputs[0]), None, None, None


sparse_slice_grad = define(
    "SparseSliceGrad(backprop_val_grad: T, input_indices: int64, input_start: int64,"
    " output_indices: int64) -> val_grad: T",
    devices=("CPU",),
    host=("input_start",),
    T=dtypes.NUMBERS,
    doc="Return the gradient of the values of a slice of a sparse tensor.",
)
sparse_slice_grad.shape(
    lambda backprop_val_grad, input_indices, input_start, output_indices: (
        input_indices.shape[0] if input_indices.shape else None,
    )
)


@sparse_slice_grad.kernel
def sparse_slice_grad_kernel(
    backprop_val_grad: torch.Tensor,
    input_indices: torch.Tensor,
    input_start: np.ndarray[Any, Any],
    output_indices: torch.Tensor,
) -> Any:
    if backprop_val_grad.ndim != 1:
        raise invalid(
            "Input backprop_val_grad should be a vector but received shape: "
            f"{bracketed_row(backprop_val_grad.shape)}"
        )
    if input_indices.ndim != 2 or output_indices.ndim != 2:
        raise invalid(
            "Input and output indices should be matrices but received shapes: "
            f"{bracketed_row(input_indices.shape)} and {bracketed_row(output_indices.shape)}"
        )
    if len(backprop_val_grad) != len(output_indices):
        raise invalid(
            "# elements of backprop_val_grad and # rows of output_indices should match (#nnz of "
            f"sum): got {len(backprop_val_grad)} and {len(output_indices)}"
        )
    rank = input_indices.shape[1]
    if len(output_indices) > len(input_indices):
        raise invalid(
            "# rows of output_indices should be not greater than of input_indices, got "
            f"{len(output_indices)} and {len(input_indices)}"
        )
    if output_indices.shape[1] != rank:
        raise invalid(
            "The input and output should have the same ndims: got: "
            f"{rank} and {output_indices.shape[1]}"
        )
    if input_start.ndim != 1:
        raise invalid(
            "The input_start should be a vector but received shape "
            f"{bracketed_row(input_start.shape)}"
        )
    if len(input_start) != rank:
        raise invalid(
            f"Expected input_start to be a vector of length {rank} but got length "
            f"{len(input_start)}"
        )
    whole = {tuple(row): place for place, row in enumerate(numbers(input_indices).tolist())}
    moved = (numbers(output_indices) + input_start).tolist()
    rows = np.asarray([whole[tuple(row)] for row in moved], np.int64)
    zeros = backprop_val_grad.new_zeros(input_indices.shape[0])
    return zeros.index_put((like(rows, zeros),), backprop_val_grad)


def slice(  # TensorFlow's name
    sp_input: Any, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """Return the box of a sparse tensor that begins at `start` and has `size`."""
    sp = as_sparse(sp_input)
    start = convert_to_tensor(start, dtypes.int64)
    size = convert_to_tensor(size, dtypes.int64)
    return SparseTensor(*sparse_slice_op(sp.indices, sp.values, sp.dense_shape, start, size, name))


sparse_split = define(
    "SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64; num_split: int >= 1)"
    " -> output_indices: num_split*int64, output_values: num_split*T,"
    " output_shape: num_split*int64",
    host=("split_dim", "shape", "output_shape"),
    differentiable=False,
    doc="Return a sparse tensor cut into pieces along a dimension.",
)


# A shape is made for each part before the kernel sees whether there are so many.
_MOST_PARTS = 1 << 20


@sparse_split.shape
def sparse_split_shape(
    split_dim: Static, indices: Static, values: Static, shape: Static, *, num_split: int
) -> list[Any]:
    rank = shape.shape[0] if shape.shape else None
    if num_split > _MOST_PARTS:
        raise invalid(f"num_split must be at most {_MOST_PARTS}, got {num_split}")
    return [[(None, rank)] * num_split, [(None,)] * num_split, [(rank,)] * num_split]


@sparse_split.kernel
def sparse_split_kernel(
    split_dim: np.ndarray[Any, Any],
    indices: torch.Tensor,
    values: Any,
    shape: np.ndarray[Any, Any],
    *,
    num_split: int,
) -> Any:
    rank = len(shape)
    check_whole(indices, values, shape)
    axis = int(np.asarray(split_dim).reshape(-1)[0])
    if not -rank <= axis < rank:
        raise invalid(f"Input split_dim should be between [-{rank}, {rank}), got {axis}")
    axis %= rank
    size = int(shape[axis])
    if not 1 <= num_split <= size:
        raise invalid(
            f"Input num_split should be between 1 and the splitting dimension size ({size}), got "
            f"{num_split}"
        )
    each, longer = divmod(size, num_split)
    found: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    low = 0
    for piece, rows in enumerate(_dealt(indices[:, axis], num_split, each, longer)):
        length = each + (piece < longer)
        moved = indices.index_select(0, rows)
        moved[:, axis] -= low
        dims = shape.copy()
        dims[axis] = length
        found[0].append(moved)
        found[1].append(taken(values, rows))
        found[2].append(from_numpy(dims))
        low += length
    return found


def _dealt(column: torch.Tensor, count: int, each: int, longer: int) -> list[Any]:
    """Return which places are in which of `count` pieces, the first `longer` ones longer by one."""
    bound = longer * (each + 1)
    piece = torch.where(
        column < bound,
        torch.div(column, each + 1, rounding_mode="floor"),
        longer + torch.div(column - bound, each, rounding_mode="floor"),
    )
    piece = torch.where(are_inside(piece, count), piece, count)
    order = torch.argsort(piece, stable=True)
    lengths = piece.new_zeros(count + 1).index_add_(0, piece, torch.ones_like(piece))
    # Reading how long the pieces are waits for a device, as TensorFlow does.
    return list(order.split(lengths.tolist())[:count])


def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Return a sparse tensor cut into `num_split` pieces along `axis`; the first are longer."""
    if num_split is None:
        raise ValueError("num_split is required")
    if axis is None:
        raise ValueError("axis is required")
    sp = as_sparse(sp_input)
    at = convert_to_tensor(axis, dtypes.int64) if not hasattr(axis, "dtype") else axis
    indices, values, shapes = sparse_split(
        at, sp.indices, sp.values, sp.dense_shape, num_split=int(num_split), name=name
    )
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor with a dimension of size 1 more, at `axis` (the end)."""
    sp = as_sparse(sp_input)
    rank = sp.dense_shape.shape[0]
    at = -1 if axis is None else int(axis)
    at = at + rank + 1 if at < 0 else at
    if not 0 <= at <= rank:
        raise InvalidArgumentError(
            None, None, f"Expected size[1] in [0, {rank}], but got {at} [Op:Slice]"
        )
    count = shape_of(sp.values)[0]
    column = zeros([count, 1], dtypes.int64)
    one = convert_to_tensor([1], dtypes.int64)
    indices = dense_concat([sp.indices[:, :at], column, sp.indices[:, at:]], 1)
    shape = dense_concat([sp.dense_shape[:at], one, sp.dense_shape[at:]], 0)
    return SparseTensor(indices, sp.values, shape)


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Return a sparse tensor with only those values for which `to_retain` is True."""
    sp = as_sparse(sp_input)
    kept = convert_to_tensor(to_retain)
    kept.shape.with_rank(1)
    kept.shape.dims[0].merge_with(sp.values.shape.dims[0])
    indices, values = boolean_mask(sp.indices, kept), boolean_mask(sp.values, kept)
    return SparseTensor(indices, values, sp.dense_shape)


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Return the same values in a larger shape, or in the smallest that holds them."""
    sp = as_sparse(sp_input)
    indices, values = identity(sp.indices), identity(sp.values)
    if new_shape is None:
        # Of no indices, the greatest is the least number there is.
        last = maximum(reduce_max(indices, 0), convert_to_tensor(-1, dtypes.int64))
        return SparseTensor(indices, values, last + 1)
    wanted = convert_to_tensor(new_shape, dtypes.int64)
    wanted.shape.with_rank(1)
    wanted.shape.dims[0].assert_is_compatible_with(sp.dense_shape.shape.dims[0])
    own, asked = get_static_value(sp.dense_shape), get_static_value(wanted)
    if own is None or asked is None:
        fits = reduce_all(wanted >= sp.dense_shape)
        message = "Requested new_shape should have dimension sizes >= sp_input.shape."
        return SparseTensor(indices, values, row_splits.checked(wanted, fits, message))
    if (asked < own).any():
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
            f"({own}), sp_input.shape ({asked})."
        )
    return SparseTensor(indices, values, wanted)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Return the identity matrix as a sparse tensor."""
    rows = convert_to_tensor(num_rows, dtypes.int64)
    columns = rows if num_columns is None else convert_to_tensor(num_columns, dtypes.int64)
    diagonal = range_of(minimum(rows, columns), dtype=dtypes.int64)
    return SparseTensor(
        stack([diagonal, diagonal], axis=1), ones(shape_of(diagonal), dtype), stack([rows, columns])
    )
