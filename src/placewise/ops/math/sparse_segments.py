"""Reductions over segments of chosen rows: rows are picked by index, then combined by id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, INDEX, REAL, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Bind, define
from placewise.ops.families import is_wide_unsigned
from placewise.ops.math.segments import counts, ordered, scattered
from placewise.ops.work import gather_work, scatter_work

_TYPES: dict[str, Any] = {"Tidx": INDEX, "Tsegmentids": INDEX}


def _scaled(total: Any, ids: Any, count: int, how: str) -> Any:
    if how == "sum":
        return total
    size = counts(ids, count, total).to(total.dtype)
    return total / (size if how == "mean" else torch.sqrt(size))


def _rows(data: Any, indices: Any, segment_ids: Any) -> Any:
    if not data.dim():
        raise invalid("Shape must be at least rank 1")
    if indices.dim() != 1:
        raise invalid("indices should be a vector.")
    if segment_ids.dim() != 1:
        raise invalid("segment_ids should be a vector.")
    if indices.shape[0] != segment_ids.shape[0]:
        raise invalid("segment_ids and indices should have same size.")
    outside = (indices < 0) | (indices >= data.shape[0])
    if not data.is_cpu:
        return _selected(data, indices, outside)
    if bool(outside.any()):
        at = int(outside.nonzero()[0])
        raise invalid(f"Bad: indices[{at}] == {int(indices[at])} out of range [0, {data.shape[0]})")
    if is_wide_unsigned(data):
        return data[indices.long()]
    return torch.index_select(data, 0, indices)


def _selected(data: Any, indices: Any, outside: Any) -> Any:
    """Return rows on a device, where no index is checked: zeros for one that is out of range."""
    if not data.shape[0]:
        return data.new_zeros((indices.shape[0], *data.shape[1:]))
    rows = torch.index_select(data, 0, indices.clamp(0, data.shape[0] - 1))
    return rows.masked_fill(outside.reshape(-1, *[1] * (data.dim() - 1)), 0)


def _kernel(how: str) -> Any:
    def kernel(
        data: Any,
        indices: Any,
        segment_ids: Any,
        num_segments: Any = None,
        *,
        sparse_gradient: bool,
    ) -> Any:
        if num_segments is not None and int(num_segments) < 0:
            raise invalid("segment ids must be >= 0")
        rows = _rows(data, indices, segment_ids)
        if num_segments is None:
            count = ordered(segment_ids)
        else:
            count = int(num_segments)
            if segment_ids.is_cpu and ordered(segment_ids) > count:
                raise invalid("segment ids must be < num_segments")
        return _scaled(scattered(rows, segment_ids, count, "sum", 0), segment_ids, count, how)

    return kernel


def _shape(
    data: Static,
    indices: Static,
    segment_ids: Static,
    num_segments: Any = None,
    *,
    sparse_gradient: bool,
) -> Dims:
    for each in (indices, segment_ids):
        if each.shape is not None and len(each.shape) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(each.shape)}")
    if data.shape is None:
        return None
    if not data.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    known = num_segments is not None and num_segments.value is not None
    return (int(np.asarray(num_segments.value)) if known else None, *data.shape[1:])


def _gradient_op(how: str, word: str) -> Bind:
    made = define(
        f"SparseSegment{word}Grad(grad: T, indices: Tidx, segment_ids: Tsegmentids,"
        " output_dim0: int32) -> output: T",
        host=("output_dim0",),
        T=FLOATS,
        **_TYPES,
        differentiable=False,
        doc=f"Return the gradient of sparse_segment_{how}.",
        work=scatter_work,
    )

    @made.shape
    def shape(grad: Static, indices: Static, segment_ids: Static, output_dim0: Static) -> Dims:
        first = None if output_dim0.value is None else int(np.asarray(output_dim0.value))
        return None if grad.shape is None else (first, *grad.shape[1:])

    @made.kernel
    def kernel(grad: Any, indices: Any, segment_ids: Any, output_dim0: Any) -> Any:
        size = int(output_dim0)
        _check_vectors(indices, segment_ids)
        if not size:  # TensorFlow looks at no index where no row can get anything
            return grad.new_zeros((0, *grad.shape[1:]))
        rows = _checked_shares(grad, indices, segment_ids, size, how)
        return scattered(rows, indices, size, "sum", 0)

    return made


def _compact_gradient_op(how: str, word: str) -> None:
    made = define(
        f"SparseSegment{word}GradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids,"
        " dense_output_dim0: int32) -> output: T, sorted_unique_indices: Tidx",
        host=("dense_output_dim0",),
        T=FLOATS,
        **_TYPES,
        differentiable=False,
        doc=f"Return the rows of the gradient of sparse_segment_{how} that are not zero.",
        work=scatter_work,
    )

    @made.shape
    def shape(grad: Static, *_: Static) -> list[Dims]:
        return [None if grad.shape is None else (None, *grad.shape[1:]), (None,)]

    @made.kernel
    def kernel(grad: Any, indices: Any, segment_ids: Any, dense_output_dim0: Any) -> Any:
        size = int(dense_output_dim0)
        _check_vectors(indices, segment_ids)
        if not size:
            return grad.new_zeros((0, *grad.shape[1:])), indices.new_zeros(0)
        shares = _checked_shares(grad, indices, segment_ids, size, how)
        # How many rows there are is only known from the data: this waits, as in TensorFlow.
        rows, places = torch.unique(indices, return_inverse=True)
        return scattered(shares, places, rows.shape[0], "sum", 0), rows


def _check_vectors(indices: torch.Tensor, segment_ids: torch.Tensor) -> None:
    for name, values in (("indices", indices), ("segment_ids", segment_ids)):
        if values.dim() != 1:
            raise invalid(f"{name} should be a vector.")
    if len(indices) != len(segment_ids):
        raise invalid("segment_ids and indices should have same size.")


def _checked_shares(
    grad: torch.Tensor, indices: torch.Tensor, segment_ids: torch.Tensor, size: int, how: str
) -> Any:
    """Return the part of the gradient that each chosen row gets."""
    if not grad.is_cpu:
        shares = _scaled(grad, segment_ids, grad.shape[0], how)
        return _selected(shares, segment_ids, (segment_ids < 0) | (segment_ids >= grad.shape[0]))
    if segment_ids.numel() and int(segment_ids.max()) >= grad.shape[0]:
        raise invalid("Invalid number of segments")
    outside = (indices < 0) | (indices >= size)
    if bool(outside.any()):
        raise invalid(f"Index {int(indices[outside][0])} out of range [0, {size}).")
    return torch.index_select(_scaled(grad, segment_ids, grad.shape[0], how), 0, segment_ids)


def _family(how: str, word: str, types: frozenset[DType]) -> tuple[Any, Any]:
    """Declare the two ops of one reduction: segments counted by their ids, or given."""
    doc = f"Return the {how} over segments of the rows that `indices` names."
    backward = _gradient_op(how, word)
    _compact_gradient_op(how, word)
    made = []
    counted: dict[str, Any] = {"Tnumsegments": INDEX}
    for tail, extra, host in (
        ("", "", ()),
        ("WithNumSegments", ", num_segments: Tnumsegments", ("num_segments",)),
    ):
        each = define(
            f"SparseSegment{word}{tail}(data: T, indices: Tidx, segment_ids: Tsegmentids{extra};"
            " sparse_gradient: bool = False) -> output: T",
            host=host,
            T=types,
            doc=doc,
            work=gather_work,
            **_TYPES,
            **(counted if extra else {}),
        )
        each.shape(_shape)
        each.kernel(_kernel(how))

        @each.gradient
        def gradient(call: Any, dy: Any) -> Any:
            data, indices, ids = call.inputs[:3]
            rows = shape_of(data)[0]
            back = backward(dy, indices, ids, rows)
            return (back, *[None] * (len(call.inputs) - 1))

        made.append(each)
    return made[0], made[1]


_sum, _sum_of = _family("sum", "Sum", REAL)
_mean, _mean_of = _family("mean", "Mean", FLOATS)
_sqrt_n, _sqrt_n_of = _family("sqrt_n", "SqrtN", FLOATS)


def _public(
    plain: Callable[..., Any],
    counted: Callable[..., Any],
    arguments: tuple[Any, ...],
    num_segments: Tensor | None,
    sparse_gradient: bool,
    name: str | None,
) -> Any:
    if num_segments is None:
        return plain(*arguments, sparse_gradient=sparse_gradient, name=name)
    return counted(*arguments, num_segments, sparse_gradient=sparse_gradient, name=name)


def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Return the sum over segments of the rows of `data` that `indices` names."""
    return _public(_sum, _sum_of, (data, indices, segment_ids), num_segments, sparse_gradient, name)


def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Return the mean over segments of the rows of `data` that `indices` names."""
    return _public(
        _mean, _mean_of, (data, indices, segment_ids), num_segments, sparse_gradient, name
    )


def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Return the sum over segments of chosen rows, over the square root of their number."""
    return _public(
        _sqrt_n, _sqrt_n_of, (data, indices, segment_ids), num_segments, sparse_gradient, name
    )
