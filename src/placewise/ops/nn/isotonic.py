"""Isotonic regression: the closest sequence that never rises (or never falls)."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, REAL, DType
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import expand_dims, reshape, shape_of
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.math.arithmetic import add, multiply, negative
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.math.unsorted_segments import unsorted_segment_mean
from placewise.ops.nn.softmax import last_axis
from placewise.ops.values import from_numpy, to_numpy

if TYPE_CHECKING:
    import torch


IsotonicRegression = namedtuple("IsotonicRegression", ["output", "segments"])

isotonic_op = define(
    "IsotonicRegression(input: T; output_dtype: type = float32) -> output: output_dtype, "
    "segments: int32",
    devices=("CPU",),
    T=REAL,
    output_dtype=FLOATS,
    doc="The closest sequences that never rise, and which elements were averaged together.",
)


@isotonic_op.shape
def isotonic_regression_shape(input: Static, *, output_dtype: DType) -> list[Dims]:
    return [input.shape, input.shape]


@isotonic_op.kernel
def isotonic_regression_kernel(input: torch.Tensor, *, output_dtype: DType) -> Any:
    array = to_numpy(input).astype(np.float64)
    length = array.shape[-1] if array.shape else 1
    rows = array.reshape(-1, length) if array.size else array.reshape(0, 0)
    output, segments = np.empty_like(rows), np.empty(rows.shape, np.int32)
    for row, (values, out, part) in enumerate(zip(rows, output, segments, strict=True)):
        del row
        blocks: list[list[float]] = []  # mean, count
        for value in values.tolist():
            blocks.append([value, 1])
            while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
                mean, count = blocks.pop()
                held = blocks[-1]
                total = held[1] + count
                held[0] = (held[0] * held[1] + mean * count) / total
                held[1] = total
        counts = [int(block[1]) for block in blocks]
        out[:] = np.repeat([block[0] for block in blocks], counts)
        part[:] = np.repeat(np.arange(len(blocks)), counts)
    made = output.reshape(array.shape).astype(output_dtype.as_numpy_dtype)
    return from_numpy(made), from_numpy(segments.reshape(array.shape))


@isotonic_op.gradient
def isotonic_regression_gradient(call: Call, dy: Tensor, _: Tensor) -> Any:
    x, segments = call.inputs[0], call.outputs[1]
    length = shape_of(x)[-1]
    parts = reshape(segments, [-1, int(length)] if np.ndim(length) == 0 else [-1, length])
    rows = shape_of(parts)[0]
    apart = add(parts, multiply(expand_dims(numbers(rows), 1), length))
    flat = reshape(apart, [-1])
    count = reduce_prod(convert_to_tensor(shape_of(x)))
    means = unsorted_segment_mean(reshape(dy, [-1]), flat, count)
    spread = reshape(gather(means, flat), shape_of(x))
    return spread if spread.dtype is x.dtype else cast(spread, x.dtype)


def isotonic_regression(inputs: TensorLike, decreasing: bool = True, axis: int = -1) -> Any:
    """Return the closest sequences along `axis` that never rise, and their segments.

    With `decreasing=False`, the closest that never fall.
    """
    x = convert_to_tensor(inputs)
    kind = x.dtype
    if not kind.is_floating:
        kind = dtypes.float32 if kind in (dtypes.int8, dtypes.int16) else dtypes.float64
    if decreasing and axis in (-1, len(x._shape_tuple) - 1):
        return IsotonicRegression(*isotonic_op(x, output_dtype=kind))
    moved = last_axis(x, axis)
    output, segments = isotonic_op(moved if decreasing else negative(moved), output_dtype=kind)
    if not decreasing:
        output = negative(output)
    rank = len(x._shape_tuple)
    if not rank:
        return output, segments
    order = [each for each in range(rank) if each != axis % rank] + [axis % rank]
    back = np.argsort(order).astype(np.int32)
    return transpose(output, back), transpose(segments, back)
