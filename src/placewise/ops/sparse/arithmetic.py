"""Sums, products and quotients of sparse tensors with each other and with dense ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.dtypes import INDEX, NUMBERS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.memory.transfer import to_host
from placewise.ops.array.gather import gather_nd
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import bracketed
from placewise.ops.math.cast import cast
from placewise.ops.sparse.places import check_whole, flat, like, numbers
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse, is_sparse
from placewise.ops.values import from_numpy

_REAL = dtypes.REAL
# torch has a plain loop for these; index_put sorts the places first.
_QUICKLY_ADDED = torch.float32, torch.float64, torch.int32, torch.int64

sparse_add_op = define(
    "SparseAdd(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T,"
    " b_shape: int64, thresh: Treal) -> sum_indices: int64, sum_values: T, sum_shape: int64",
    devices=("CPU",),
    host=("a_shape", "b_shape", "sum_shape"),
    T=NUMBERS,
    Treal=_REAL,
    doc="Return the sum of two sparse tensors, without values below a threshold.",
    default_types={"Treal": None},
)


@sparse_add_op.shape
def sparse_add_shape(*parts: Static) -> list[Dims]:
    rank = parts[2].shape[0] if parts[2].shape else None
    return [(None, rank), (None,), (rank,)]


def _check_same(a_shape: np.ndarray[Any, Any], b_shape: np.ndarray[Any, Any]) -> None:
    if len(a_shape) != len(b_shape):
        raise invalid(
            f"Ranks of input tensors must match, but saw ranks: {len(a_shape)} and {len(b_shape)}"
        )
    for axis, (mine, theirs) in enumerate(zip(a_shape, b_shape, strict=True)):
        if mine != theirs:
            raise invalid(
                f"Operands' shapes do not match: got {mine} and {theirs} for dimension {axis}"
            )


def _check_addends(a_indices: Any, a_values: Any, b_indices: Any, b_values: Any) -> None:
    if a_indices.ndim != 2 or b_indices.ndim != 2:
        raise invalid(
            "Input indices should be matrices but received shapes: "
            f"{bracketed(a_indices.shape)} and {bracketed(b_indices.shape)}"
        )
    if a_values.ndim != 1 or b_values.ndim != 1:
        raise invalid(
            "Input values should be vectors but received shapes: "
            f"{bracketed(a_values.shape)} and {bracketed(b_values.shape)}"
        )
    if len(a_indices) != len(a_values) or len(b_indices) != len(b_values):
        raise invalid(
            f"Expected {len(a_indices)} and {len(b_indices)} non-empty input values, got "
            f"{len(a_values)} and {len(b_values)}"
        )
    if a_indices.shape[1] != b_indices.shape[1]:
        raise invalid(
            "Input indices must have the same dimension, got "
            f"{a_indices.shape[1]} and {b_indices.shape[1]}"
        )


def _united(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], shape: np.ndarray[Any, Any]
) -> tuple[Any, Any, Any]:
    """Return all places of two sparse tensors in order, and where the own ones went."""
    joined = np.concatenate([a, b])
    keys = flat(joined, shape)
    if native.code is not None:
        places, origins = np.empty_like(keys), np.empty_like(keys)
        parts = keys[: len(a)], keys[len(a) :], places[: len(a)], places[len(a) :]
        size = native.code.unite(*parts, origins)
        if size >= 0:
            return joined.take(origins[:size], axis=0), parts[2], parts[3]
    # Both are in order as a rule: NumPy's stable sort merges runs that are, which is fast.
    rank = np.argsort(keys, kind="stable")
    ranked = keys[rank]
    is_first = np.ones(len(keys), bool)
    np.not_equal(ranked[1:], ranked[:-1], out=is_first[1:])
    inverse = np.empty(len(keys), np.int64)
    inverse[rank] = np.cumsum(is_first) - 1
    return joined[rank[is_first]], inverse[: len(a)], inverse[len(a) :]


@sparse_add_op.kernel
def sparse_add_kernel(
    a_indices: torch.Tensor,
    a_values: torch.Tensor,
    a_shape: np.ndarray[Any, Any],
    b_indices: torch.Tensor,
    b_values: torch.Tensor,
    b_shape: np.ndarray[Any, Any],
    thresh: torch.Tensor,
) -> Any:
    _check_addends(a_indices, a_values, b_indices, b_values)
    _check_same(a_shape, b_shape)
    if thresh.ndim:
        raise invalid(
            f"The magnitude threshold must be a scalar: got shape {bracketed(thresh.shape)}"
        )
    places, mine, theirs = _united(numbers(a_indices), numbers(b_indices), a_shape)
    total = a_values.new_zeros(len(places))
    for where, values in ((mine, a_values), (theirs, b_values)):
        if values.dtype in _QUICKLY_ADDED:
            total = total.index_add(0, like(where, values), values)
        else:
            total = total.index_put((like(where, values),), values, accumulate=True)
    # Only what was added is held against the threshold; what stands alone stays.
    is_mine, is_theirs = np.zeros((2, len(places)), bool)
    is_mine[mine], is_theirs[theirs] = True, True
    alone = is_mine != is_theirs
    stays = (total.abs() >= thresh) | like(alone, total)
    if bool(to_host(stays.all())):  # the usual case: nothing need be counted
        return like(places, a_values), total, from_numpy(a_shape)
    kept = stays.nonzero().reshape(-1)
    return like(places, a_values)[kept], total[kept], from_numpy(a_shape)


@sparse_add_op.gradient
def sparse_add_gradient(call: Call, _: Tensor, dy: Tensor, __: Tensor) -> Any:
    a_indices, _, _, b_indices, _, _, _ = call.inputs
    a, b = sparse_add_grad(dy, a_indices, b_indices, call.outputs[0])
    return None, a, None, None, b, None, None


sparse_add_grad = define(
    "SparseAddGrad(backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64)"
    " -> a_val_grad: T, b_val_grad: T",
    devices=("CPU",),
    differentiable=False,
    T=NUMBERS,
    doc="Return the gradients of the values of two sparse tensors that were added.",
)


@sparse_add_grad.shape
def sparse_add_grad_shape(
    backprop_val_grad: Static, a_indices: Static, b_indices: Static, sum_indices: Static
) -> list[Dims]:
    return [(each.shape[0] if each.shape else None,) for each in (a_indices, b_indices)]


@sparse_add_grad.kernel
def sparse_add_grad_kernel(
    backprop_val_grad: torch.Tensor,
    a_indices: torch.Tensor,
    b_indices: torch.Tensor,
    sum_indices: torch.Tensor,
) -> Any:
    if any(each.ndim != 2 for each in (a_indices, b_indices, sum_indices)):
        raise invalid(
            f"Input indices should be matrices but received shapes: {bracketed(a_indices.shape)} "
            f"and {bracketed(b_indices.shape)} and {bracketed(sum_indices.shape)}"
        )
    if backprop_val_grad.ndim != 1:
        raise invalid(
            "Input backprop_val_grad should be a vector but received shape: "
            f"{bracketed(backprop_val_grad.shape)}"
        )
    ranks = [each.shape[1] for each in (a_indices, b_indices, sum_indices)]
    if len(set(ranks)) != 1:
        raise invalid(
            "The densified operands should have the same ndims; for A, B, sum got: "
            + "".join(map(str, ranks))
        )
    if len(backprop_val_grad) != len(sum_indices):
        raise invalid(
            "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): "
            f"got {len(backprop_val_grad)} and {len(sum_indices)}"
        )
    arrays = [numbers(each) for each in (sum_indices, a_indices, b_indices)]
    joined = np.concatenate(arrays)
    keys = flat(joined, joined.max(0) + 1 if len(joined) else np.zeros(joined.shape[1]))
    own, rest = keys[: len(arrays[0])], keys[len(arrays[0]) :]
    rank = np.argsort(own)
    place = np.searchsorted(own, rest, sorter=rank)
    place = rank[np.minimum(place, max(len(own) - 1, 0))] if len(own) else np.zeros(len(rest), int)
    found = own[place] == rest if len(own) else np.zeros(len(rest), bool)
    padded = torch.cat([backprop_val_grad, backprop_val_grad.new_zeros(1)])
    picked = padded[like(np.where(found, place, len(own)), padded)]
    return picked[: len(arrays[1])], picked[len(arrays[1]) :]


sparse_tensor_dense_add = define(
    "SparseTensorDenseAdd(a_indices: Tindices, a_values: T, a_shape: Tindices, b: T) -> output: T",
    devices=("CPU",),
    host=("a_shape",),
    T=NUMBERS,
    Tindices=INDEX,
    doc="Return the sum of a sparse and a dense tensor of one shape.",
)
sparse_tensor_dense_add.shape(lambda a_indices, a_values, a_shape, b: b.shape)


@sparse_tensor_dense_add.kernel
def sparse_tensor_dense_add_kernel(
    a_indices: torch.Tensor, a_values: torch.Tensor, a_shape: np.ndarray[Any, Any], b: torch.Tensor
) -> Any:
    _check_parts(a_indices, a_values, a_shape)
    if len(a_shape) != b.ndim:
        raise invalid(f"Two operands have different ranks; received: {len(a_shape)} and {b.ndim}")
    for axis, (mine, theirs) in enumerate(zip(a_shape, b.shape, strict=True)):
        if mine != theirs:
            raise invalid(
                f"Dimension {axis} does not equal (no broadcasting is supported): sparse side "
                f"{mine} vs dense side {theirs}"
            )
    array = numbers(a_indices)
    _check_indices(array, a_shape)
    where = like(flat(array, a_shape), a_values)
    return b.reshape(-1).index_put((where,), a_values, accumulate=True).reshape(b.shape)


def _check_parts(indices: Any, values: Any, shape: Any) -> None:
    """Refuse parts that make no sparse tensor, in the words of `SparseTensorDenseAdd`."""
    if indices.ndim != 2:
        raise invalid(
            f"Input a_indices should be a matrix but received shape: {bracketed(indices.shape)}"
        )
    if values.ndim != 1 or shape.ndim != 1:
        raise invalid(
            "Inputs a_values and a_shape should be vectors but received shapes: "
            f"{bracketed(values.shape)} and {bracketed(shape.shape)}"
        )
    for mine, other in ((len(indices), len(values)), (indices.shape[1], len(shape))):
        if mine != other:
            raise invalid(f"Dimensions {mine} and {other} are not compatible")


def _check_indices(indices: np.ndarray[Any, Any], shape: np.ndarray[Any, Any]) -> None:
    outside = np.argwhere((indices < 0) | (indices >= shape))
    if len(outside):
        row, axis = outside[0]
        raise invalid(
            f"Sparse tensor has an invalid index on dimension {axis}: a_indices({row},{axis}) = "
            f"{indices[row, axis]}, dense tensor shape: {' '.join(map(str, shape))}"
        )


def _check_inside(indices: np.ndarray[Any, Any], shape: np.ndarray[Any, Any]) -> None:
    if len(indices) and ((indices < 0) | (indices >= np.asarray(shape))).any():
        raise invalid("Sparse tensor has some invalid index on dimension")


@sparse_tensor_dense_add.gradient
def sparse_tensor_dense_add_gradient(call: Call, dy: Tensor) -> Any:
    return None, gather_nd(dy, call.inputs[0]), None, dy


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Return the sum of two tensors, of which at least one is sparse.

    Of two sparse ones: a sparse tensor without values below `threshold`.
    """
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if is_sparse(a) and is_sparse(b):
        a, b = as_sparse(a), as_sparse(b)
        kind = a.dtype.real_dtype.base_dtype
        limit = threshold if hasattr(threshold, "dtype") else convert_to_tensor(threshold, kind)
        parts = sparse_add_op(
            a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, limit
        )
        return SparseTensor(*parts)
    if is_sparse(b):
        a, b = b, a
    a = as_sparse(a)
    return sparse_tensor_dense_add(a.indices, a.values, a.dense_shape, b)


def _check_broadcast(sp_shape: np.ndarray[Any, Any], dense: torch.Tensor) -> None:
    rank = len(sp_shape)
    extra = rank - dense.ndim
    fits = extra >= 0 and all(
        size in (1, int(sp_shape[extra + axis])) for axis, size in enumerate(dense.shape)
    )
    if not fits:
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"[{','.join(map(str, sp_shape))}] vs. {bracketed(dense.shape)}"
        )


def _at_places(indices: torch.Tensor, shape: np.ndarray[Any, Any], dense: torch.Tensor) -> Any:
    """Return the elements of a dense tensor, broadcast to `shape`, at some places."""
    array = numbers(indices)
    _check_inside(array, shape)
    spread = dense.expand([int(d) for d in shape])
    return spread[tuple(like(column, dense) for column in array.T)]


def _cwise(name: str, function: Callable[..., Any], doc: str) -> Bind:
    declared = define(
        f"SparseDenseCwise{name}(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T)"
        " -> output: T",
        devices=("CPU",),
        host=("sp_shape",),
        T=NUMBERS,
        doc=doc,
    )
    declared.shape(lambda sp_indices, sp_values, sp_shape, dense: sp_values.shape)

    def kernel(sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any) -> Any:
        if sp_indices.dim() != 2:
            raise invalid(
                "Input sp_indices should be a matrix but received shape: "
                f"{bracketed(sp_indices.shape)}"
            )
        if sp_values.dim() != 1 or sp_shape.ndim != 1:
            raise invalid(
                "Inputs sp_values and sp_shape should be vectors but received shapes: "
                f"{bracketed(sp_values.shape)} and {bracketed(sp_shape.shape)}"
            )
        if len(sp_values) != len(sp_indices):
            raise invalid(
                "The first dimension of values and indices should match. "
                f"({len(sp_values)} vs. {len(sp_indices)})"
            )
        if sp_indices.shape[1] != len(sp_shape):
            raise invalid(
                "Number of dimensions must match second dimension of indices. Got "
                f"{len(sp_shape)} dimensions, indices shape: {bracketed(sp_indices.shape)}"
            )
        _check_broadcast(sp_shape, dense)
        found = _at_places(sp_indices, sp_shape, dense)
        if function is _quotient and bool((found == 0).any()):
            raise invalid(
                "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero"
            )
        return function(sp_values, found)

    declared.kernel(kernel)
    return declared


sparse_dense_multiply = _cwise("Mul", lambda x, y: x * y, "Return sparse values times dense ones.")


def _quotient(x: torch.Tensor, y: torch.Tensor) -> Any:
    is_whole = not (x.is_floating_point() or x.is_complex())
    return torch.div(x, y, rounding_mode="trunc" if is_whole else None)


sparse_dense_divide = _cwise(
    "Div",
    _quotient,
    "Return sparse values divided by dense ones.",
)
sparse_dense_add = _cwise("Add", lambda x, y: x + y, "Return sparse values plus dense ones.")


def _with_dense(function: Callable[..., Any], sp: SparseTensor, other: Tensor) -> SparseTensor:
    dense = (
        convert_to_tensor(other, sp.dtype.base_dtype)
        if not hasattr(other, "dtype")
        else convert_to_tensor(other)
    )
    return SparseTensor(
        sp.indices, function(sp.indices, sp.values, sp.dense_shape, dense), sp.dense_shape
    )


def multiply_dense(sp: SparseTensor, other: Tensor) -> SparseTensor:
    """Return a sparse tensor times a dense one that broadcasts to it."""
    return _with_dense(sparse_dense_multiply, sp, other)


def divide_dense(sp: SparseTensor, other: Tensor) -> SparseTensor:
    """Return a sparse tensor divided by a dense one; integers give floating quotients."""
    if not sp.dtype.is_integer:
        return _with_dense(sparse_dense_divide, sp, other)

    small = sp.dtype in (dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16)
    kind = dtypes.float32 if small else dtypes.float64
    dense = cast(convert_to_tensor(other, None if hasattr(other, "dtype") else sp.dtype), kind)
    return _with_dense(sparse_dense_divide, sp.with_values(cast(sp.values, kind)), dense)


def _extremes(name: str, function: Callable[..., Any], doc: str) -> Bind:
    declared = define(
        f"SparseSparse{name}(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64,"
        " b_values: T, b_shape: int64) -> output_indices: int64, output_values: T",
        devices=("CPU",),
        host=("a_shape", "b_shape"),
        differentiable=False,
        doc=doc,
        T=_REAL if name == "Maximum" else NUMBERS,
    )

    def shape(*parts: Static) -> list[Dims]:
        return [(None, parts[2].shape[0] if parts[2].shape else None), (None,)]

    def kernel(
        a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any
    ) -> Any:
        check_whole(a_indices, a_values, a_shape)
        check_whole(b_indices, b_values, b_shape)
        _check_same(a_shape, b_shape)
        places, mine, theirs = _united(numbers(a_indices), numbers(b_indices), a_shape)
        both = [a_values.new_zeros(len(places)), a_values.new_zeros(len(places))]
        both[0][like(mine, a_values)] = a_values
        both[1][like(theirs, a_values)] = b_values
        return like(places, a_values), function(*both)

    declared.shape(shape)
    declared.kernel(kernel)
    return declared


sparse_maximum = _extremes("Maximum", torch.maximum, "Return the larger of each two values.")
sparse_minimum = _extremes("Minimum", torch.minimum, "Return the smaller of each two values.")


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the larger of each two elements; where one is empty it counts as zero."""
    a, b = as_sparse(sp_a), as_sparse(sp_b)
    indices, values = sparse_maximum(
        a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, name
    )
    return SparseTensor(indices, values, a.dense_shape)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the smaller of each two elements; where one is empty it counts as zero."""
    a, b = as_sparse(sp_a), as_sparse(sp_b)
    indices, values = sparse_minimum(
        a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, name
    )
    return SparseTensor(indices, values, a.dense_shape)
