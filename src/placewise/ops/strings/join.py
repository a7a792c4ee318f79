"""Strings put together: element by element, along axes, by segments, in runs of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import OutOfRangeError, invalid
from placewise.core.shapes import Dims, Static, merge
from placewise.memory.host import reserve_on_host
from placewise.ops import lazy
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.math.reduction import axes_or_all, reduction_shape
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.strings.contents import strings
from placewise.ops.values import to_numpy


@op(
    "StringJoin(inputs: N*string; separator: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Return the strings of several tensors put together, with `separator` between."""
    if isinstance(inputs, (str, bytes)):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")

    listed = list(inputs)
    ragged = next((each for each in listed if isinstance(each, RaggedTensor)), None)
    if ragged is not None:
        flat = [e.flat_values if isinstance(e, RaggedTensor) else e for e in listed]
        return ragged.with_flat_values(join(flat, separator, name))
    return join.bind(listed, separator=separator, name=name)


@join.shape
def string_join_shape(inputs: list[Static], *, separator: str) -> Dims:
    shape: Dims = ()
    for each in inputs:
        if each.shape != ():
            shape = each.shape if shape == () else merge(shape, each.shape)
    return shape


@join.kernel
def string_join_kernel(inputs: list[np.ndarray[Any, Any]], *, separator: str) -> Any:
    shape: Any = ()
    for each in inputs:
        if each.shape and shape and each.shape != shape:
            raise invalid(
                f"Input shapes do not match: {bracketed(shape)} vs. {bracketed(each.shape)}"
            )
        shape = each.shape or shape
    if not inputs:
        return strings([b""], ())
    if native.code is not None:
        result = np.empty(shape, object)
        parts = tuple(np.asarray(each, order="C") for each in inputs)
        native.code.join_strings(parts, _encoded(separator), result)
        return result
    columns = [np.broadcast_to(each, shape).reshape(-1).tolist() for each in inputs]
    return strings(map(_encoded(separator).join, zip(*columns, strict=True)), shape)


def _encoded(text: str) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


@op(
    "ReduceJoin(inputs: string, reduction_indices: int32; keep_dims: bool = False,"
    " separator: string = '') -> output: string",
    host=("reduction_indices",),
    devices=("CPU",),
    differentiable=False,
)
def reduce_join(
    inputs: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Return the strings put together along `axis`: along the first of several axes first."""
    if isinstance(inputs, RaggedTensor):
        return lazy.ragged_join(inputs, axis, keepdims, separator)
    inputs = convert_to_tensor(inputs)
    if axis is None:
        # The last axis first: the strings in the order in which they are stored.
        axis = axes_or_all(inputs, None)[::-1]
    elif isinstance(axis, (list, tuple)) and not axis:
        axis = np.empty(0, np.int32)
    return reduce_join.bind(inputs, axis, keep_dims=keepdims, separator=separator, name=name)


@reduce_join.shape
def reduce_join_shape(
    inputs: Static, reduction_indices: Static, *, keep_dims: bool, separator: str
) -> Dims:
    return reduction_shape(inputs, reduction_indices, keep_dims=keep_dims)


@reduce_join.kernel
def reduce_join_kernel(
    inputs: np.ndarray[Any, Any],
    reduction_indices: np.ndarray[Any, Any],
    *,
    keep_dims: bool,
    separator: str,
) -> Any:
    rank = inputs.ndim
    axes: list[int] = []
    for axis in reduction_indices.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise OutOfRangeError(
                None,
                None,
                f"Invalid reduction dimension {axis} for input with {rank} dimension(s)",
            )
        if axis % rank in axes:
            raise invalid(f"Duplicate reduction dimension {axis % rank}")
        axes.append(axis % rank)
    kept = [axis for axis in range(rank) if axis not in axes]
    shape = [inputs.shape[axis] for axis in kept]
    count = int(np.prod([inputs.shape[axis] for axis in axes], dtype=np.int64))
    rows = inputs.transpose(kept + axes[::-1]).reshape(int(np.prod(shape, dtype=np.int64)), count)
    if native.code is not None and count > 1 and rows.size:
        joined = np.empty(shape, object)
        native.code.join_rows(np.ascontiguousarray(rows), _encoded(separator), joined)
    else:
        joined = strings(map(_encoded(separator).join, rows.tolist()), shape)
    if keep_dims:
        return joined.reshape([1 if a in axes else d for a, d in enumerate(inputs.shape)])
    return joined


@op(
    "UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments: Tnumsegments;"
    " separator: string = '') -> output: string",
    host=("num_segments",),
    devices=("CPU",),
    differentiable=False,
    Tindices=INDEX,
    Tnumsegments=INDEX,
)
def unsorted_segment_join(
    inputs: Any,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Return, for each segment, the strings that belong to it put together."""
    return unsorted_segment_join.bind(
        inputs, segment_ids, num_segments, separator=separator, name=name
    )


@unsorted_segment_join.shape
def unsorted_segment_join_shape(
    inputs: Static, segment_ids: Static, num_segments: Static, *, separator: str
) -> Dims:
    if inputs.shape is None or segment_ids.shape is None:
        return None
    count = None if num_segments.value is None else int(num_segments.value)
    return (count, *inputs.shape[len(segment_ids.shape) :])


@unsorted_segment_join.kernel
def unsorted_segment_join_kernel(
    inputs: np.ndarray[Any, Any],
    segment_ids: torch.Tensor,
    num_segments: np.ndarray[Any, Any],
    *,
    separator: str,
) -> Any:
    count = int(num_segments)
    if count < 0:
        raise invalid(f"Number of segments must be non-negative but got {count}")
    ids = to_numpy(segment_ids)
    if not ids.ndim:
        raise invalid("Segment_id cannot have rank 0")
    for rank in range(ids.ndim):
        if rank >= inputs.ndim or ids.shape[rank] != inputs.shape[rank]:
            theirs = inputs.shape[rank] if rank < inputs.ndim else 0
            raise invalid(
                f"Segment dimension is {ids.shape[rank]} while input dimension is {theirs} in "
                f"rank {rank}"
            )
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        raise invalid(
            "segment_ids are not allowed to exceed num_segments or to have negative values."
        )
    rest = inputs.shape[ids.ndim :]
    width = int(np.prod(rest, dtype=np.int64))
    reserve_on_host((count, *rest), object)
    groups: list[list[bytes]] = [[] for _ in range(count * width)]
    rows = inputs.reshape(ids.size, width).tolist()
    for segment, row in zip(ids.reshape(-1).tolist(), rows, strict=True):
        for column, text in enumerate(row):
            groups[segment * width + column].append(text)
    return strings(map(_encoded(separator).join, groups), (count, *rest))


_INT32_MAX = 2**31 - 1  # TensorFlow counts n-grams in this

string_ngrams = define(
    "StringNGrams(data: string, data_splits: Tsplits; separator: string, ngram_widths: list(int),"
    " left_pad: string, right_pad: string, pad_width: int, preserve_short_sequences: bool)"
    " -> ngrams: string, ngrams_splits: Tsplits",
    devices=("CPU",),
    differentiable=False,
    Tsplits=INDEX,
    doc="Return the runs of neighbours of each row.",
)


@string_ngrams.shape
def string_ngrams_shape(data: Static, data_splits: Static, **_: object) -> list[Dims]:
    return [(None,), data_splits.shape]


@string_ngrams.kernel
def string_ngrams_kernel(
    data: np.ndarray[Any, Any],
    data_splits: torch.Tensor,
    *,
    separator: str,
    ngram_widths: tuple[int, ...],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> Any:
    if any(width < 1 for width in ngram_widths):
        raise invalid("ngram_widths must contain positive values")
    splits = data_splits.reshape(-1).tolist()  # of any rank, and the result's have the same
    _check_splits(splits, len(data))
    between, left, right = _encoded(separator), _encoded(left_pad), _encoded(right_pad)
    found: list[bytes] = []
    ends = [0] * len(splits)
    items = data.tolist()
    # Without data TensorFlow returns no n-grams, not even those made of padding alone.
    for row in range(len(splits) - 1 if items else 0):
        tokens = items[splits[row] : splits[row + 1]]
        before = len(found)
        for width in ngram_widths:
            pad = _padding(width, pad_width, len(tokens))
            count = max(0, len(tokens) + 2 * pad - width + 1)
            longest = max(len(left), len(right), *map(len, tokens), 0) + len(between)
            reserve_on_host((count, width * longest), np.uint8)
            padded = [left] * pad + tokens + [right] * pad
            found += [between.join(padded[i : i + width]) for i in range(count)]
        if preserve_short_sequences and len(found) == before and tokens:
            if pad_width < 0 and not ngram_widths:
                raise invalid(
                    "Pad width should be >= 0 when preserve_short_sequences is True and "
                    f"ngram_widths are not provided, got {pad_width}"
                )
            pad = max(pad_width, 0)
            reserve_on_host((pad, len(left) + len(right) + 2 * len(between)), np.uint8)
            found.append(between.join([left] * pad + tokens + [right] * pad))
        ends[row + 1] = len(found)
    return strings(found, (len(found),)), torch.tensor(ends, dtype=data_splits.dtype).view_as(
        data_splits
    )


def _padding(width: int, pad_width: int, length: int) -> int:
    """Return how many pads stand on each side of a row; a negative `pad_width` is no limit."""
    pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
    if pad > _INT32_MAX // 2 - length:
        raise invalid(f"Pad width could lead to integer overflow, got pad_width = {pad}")
    return pad


def _check_splits(splits: list[int], size: int) -> None:
    if splits and splits[0] != 0:
        raise invalid(f"First split value must be 0, got {splits[0]}")
    for last, each in pairwise(splits):
        if not last <= each <= size:
            raise invalid(f"Invalid split value {each}, must be in [{last}, {size}]")
    if splits and splits[-1] != size:
        raise invalid(f"Last split value must be data size. Expected {size}, got {splits[-1]}")


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Sequence[Any] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Return the runs of `ngram_width` neighbours in the innermost dimension."""
    if pad_values is None:
        left = right = ""
    elif isinstance(pad_values, str):
        left = right = pad_values
    elif isinstance(pad_values, (list, tuple)):
        if not (isinstance(pad_values[0], str) and isinstance(pad_values[1], str)):
            raise TypeError("pad_values must be a string, tuple of strings, or None.")
        left, right = pad_values[0], pad_values[1]
    else:
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    if padding_width is not None:
        if padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
    pad_width = padding_width if padding_width is not None else 0 if pad_values is None else -1
    widths = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    dense = None
    if not isinstance(data, RaggedTensor):
        data = convert_to_tensor(data)
        dense = data._shape_tuple
        if not dense:
            raise ValueError("Data must have rank>0")
        if len(dense) == 1:
            data = RaggedTensor.from_row_splits(data, np.array([0, dense[0]], np.int64))
        else:
            data = RaggedTensor.from_tensor(data, ragged_rank=len(dense) - 1)
    found, splits = string_ngrams(
        data.flat_values,
        data.nested_row_splits[-1],
        separator=separator,
        ngram_widths=tuple(widths),
        left_pad=left,
        right_pad=right,
        pad_width=pad_width,
        preserve_short_sequences=preserve_short_sequences,
        name=name,
    )
    if dense is not None:
        lead = list(dense[:-1])
        return reshape(found, [*lead, 0 if 0 in lead else -1])
    return RaggedTensor.from_nested_row_splits(found, [*data.nested_row_splits[:-1], splits])
