"""Fractional pooling: windows whose sizes are drawn at random so that sizes shrink by any ratio."""

from __future__ import annotations

import itertools
import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from placewise.core import dtypes
from placewise.core.determinism import determinism
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import bracketed, same_shape
from placewise.ops.math.cast import cast
from placewise.ops.random.scalar_stream import ScalarStream
from placewise.ops.random.streams import Stream, get_seed, refuse_no_seed

if TYPE_CHECKING:
    import numpy as np


FractionalMaxPool = namedtuple(
    "FractionalMaxPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)
FractionalAvgPool = namedtuple(
    "FractionalAvgPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)

_TYPES = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})
_ATTRS = (
    "pooling_ratio: list(float) >= 4, pseudo_random: bool = False, overlapping: bool = False, "
    "deterministic: bool = False, seed: int = 0, seed2: int = 0"
)
_RESULTS = "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"


def _random_sizes(size: int, count: int, draws: ScalarStream) -> list[int]:
    sizes = [size // count + (1 if index < size % count else 0) for index in range(count)]
    for index in range(count - 1):
        other = index + draws.word() % (count - index)
        sizes[index], sizes[other] = sizes[other], sizes[index]
    return sizes


def _pseudo_random_sizes(size: int, count: int, draws: ScalarStream) -> list[int]:
    alpha = size / count
    k = size // count
    most = min((k + 2) / alpha - 1, (size + 1 - k) / alpha - (count - 1))
    u = draws.double() * most
    ends = [1, *(math.ceil(alpha * (index + u)) for index in range(1, count)), size + 1]
    return [after - before for before, after in itertools.pairwise(ends)]


def _sequence(size: int, count: int, stream: Stream, pseudo_random: bool) -> list[int]:
    """Return where windows begin and end along a dimension: count + 1 places."""
    if pseudo_random:
        sizes = _pseudo_random_sizes(size, count, ScalarStream(stream.reserve(1)))
    else:
        sizes = _random_sizes(size, count, ScalarStream(stream.reserve(-(-count // 4))))
    places = [0]
    for each in sizes:
        places.append(places[-1] + each)
    return places


def check_ratio(ratio: list[Any]) -> None:
    """Raise for ratios that would make an image larger: windows are counted by them."""
    for each in ratio:
        if not each >= 1:  # NaN is not, either
            raise invalid(f"pooling_ratio cannot be smaller than 1, got: {each:g}")


def _counts(shape: tuple[int, ...], ratio: list[Any]) -> list[int]:
    if len(shape) != 4:
        raise invalid("tensor_in must be 4-dimensional")
    check_ratio(ratio)
    if ratio[0] != 1 or ratio[3] != 1:
        raise UnimplementedError(
            None,
            None,
            "Fractional pooling is not yet supported on the batch nor channel dimension.",
        )
    for index, (size, each) in enumerate(zip(shape, ratio, strict=True)):
        if size < each:
            raise invalid(
                "Pooling ratio is higher than input dimension size for dimension "
                f"{index}. Input dim size: {size} pooling ratio: {each:g}"
            )
    return [math.floor(size / each) for size, each in zip(shape, ratio, strict=True)]


def _spans(places: list[int], overlapping: bool, size: int) -> list[tuple[int, int]]:
    """Return begin and end of each window; overlapping ones share their border."""
    return [
        (begin, min(end + 1, size) if overlapping else end)
        for begin, end in itertools.pairwise(places)
    ]


def _within(spans: list[tuple[int, int]], count: int, size: int) -> list[tuple[int, int]]:
    return [(begin, min(end, size)) for begin, end in spans[:count]]


def _family(name: str, is_max: bool, doc: str) -> Bind:
    made = define(f"{name}(value: T; {_ATTRS}) -> {_RESULTS}", devices=("CPU",), T=_TYPES, doc=doc)

    @made.shape
    def fractional_pool_shape(
        value: Static, *, pooling_ratio: list[Any], **_: object
    ) -> list[Dims]:
        check_ratio(pooling_ratio)
        if value.shape is None:
            return [(None,) * 4, (None,), (None,)]
        if len(value.shape) != 4:
            raise ValueError(f"Shape must be rank 4 but is rank {len(value.shape)}")
        sizes = [
            None if size is None else math.floor(size / ratio)
            for size, ratio in zip(value.shape, pooling_ratio, strict=True)
        ]
        ends = [None if each is None else each + 1 for each in sizes[1:3]]
        return [tuple(sizes), (ends[0],), (ends[1],)]

    @made.kernel
    def fractional_pool_kernel(
        value: torch.Tensor,
        *,
        pooling_ratio: list[Any],
        pseudo_random: bool,
        overlapping: bool,
        deterministic: bool,
        seed: int,
        seed2: int,
    ) -> Any:
        if not deterministic and (seed or seed2):
            raise invalid("Both seed and seed2 should be 0 if deterministic is false.")
        counts = _counts(value.shape, pooling_ratio)
        stream = Stream(seed, seed2) if deterministic else Stream(0, 0)
        rows = _sequence(value.shape[1], counts[1], stream, pseudo_random)
        columns = _sequence(value.shape[2], counts[2], stream, pseudo_random)
        reduce = _largest if is_max else _mean
        pooled = torch.stack(
            [
                torch.stack(
                    [
                        reduce(value[:, top:bottom, left:right])
                        for left, right in _spans(columns, overlapping, value.shape[2])
                    ],
                    1,
                )
                for top, bottom in _spans(rows, overlapping, value.shape[1])
            ],
            1,
        )
        return pooled, torch.tensor(rows), torch.tensor(columns)

    return made


def _largest(window: torch.Tensor) -> Any:
    return window.amax((1, 2))


def _mean(window: torch.Tensor) -> Any:
    if window.is_floating_point():
        return window.mean((1, 2))
    total = window.sum((1, 2), dtype=window.dtype)
    return torch.div(total, window.shape[1] * window.shape[2], rounding_mode="trunc")


fractional_max_pool_op = _family(
    "FractionalMaxPool", True, "The largest element of random windows."
)
fractional_avg_pool_op = _family("FractionalAvgPool", False, "The mean of random windows.")


@fractional_max_pool_op.gradient
def fractional_max_pool_gradient(call: Call, dy: Tensor, *_: object) -> Any:
    output, rows, columns = call.outputs
    return fractional_max_pool_grad_op(
        call.inputs[0], output, dy, rows, columns, overlapping=call.attrs["overlapping"]
    )


@fractional_avg_pool_op.gradient
def fractional_avg_pool_gradient(call: Call, dy: Tensor, *_: object) -> Any:
    shape = shape_of(call.inputs[0])
    shape = shape.astype("int64") if hasattr(shape, "astype") else cast(shape, dtypes.int64)
    return fractional_avg_pool_grad_op(
        shape, dy, *call.outputs[1:], overlapping=call.attrs["overlapping"]
    )


fractional_max_pool_grad_op = define(
    "FractionalMaxPoolGrad(orig_input: T, orig_output: T, out_backprop: T, "
    "row_pooling_sequence: int64, col_pooling_sequence: int64; overlapping: bool = False)"
    " -> output: T",
    T=_TYPES,
    devices=("CPU",),
    differentiable=False,
    doc="The gradient of fractional max pooling.",
)
fractional_max_pool_grad_op.shape(same_shape)


@fractional_max_pool_grad_op.kernel
def fractional_max_pool_grad_kernel(
    orig_input: torch.Tensor,
    orig_output: torch.Tensor,
    out_backprop: torch.Tensor,
    row_pooling_sequence: torch.Tensor,
    col_pooling_sequence: torch.Tensor,
    *,
    overlapping: bool,
) -> Any:
    for name, sequence in (("row", row_pooling_sequence), ("col", col_pooling_sequence)):
        if sequence.dim() != 1:
            shape = bracketed(sequence.shape)
            raise invalid(f"{name}_pooling_sequence must be a vector, received shape {shape}")
    if orig_output.dim() != 4:
        shape = bracketed(orig_output.shape)
        raise invalid(f"orig_output should be a tensor of rank 4, got {shape}")
    for at, name, sequence in (
        (1, "row", row_pooling_sequence),
        (2, "col", col_pooling_sequence),
    ):
        if sequence.numel() != orig_output.shape[at] + 1:
            raise invalid(
                f"{name}_pooling_sequence must have {orig_output.shape[at] + 1} elements, but got "
                f"{sequence.numel()}"
            )
    if out_backprop.shape != orig_output.shape:
        raise invalid(
            f"out_backprop must have the shape of orig_output {bracketed(orig_output.shape)}, but "
            f"got {bracketed(out_backprop.shape)}"
        )
    result = torch.zeros_like(orig_input)
    rows = _spans(row_pooling_sequence.tolist(), overlapping, orig_input.shape[1])
    columns = _spans(col_pooling_sequence.tolist(), overlapping, orig_input.shape[2])
    for i, (top, bottom) in enumerate(rows):
        for j, (left, right) in enumerate(columns):
            window = orig_input[:, top:bottom, left:right]
            largest, best = window.flatten(1, 2).max(1, keepdim=True)
            if not torch.equal(largest[:, 0], orig_output[:, i, j]):
                raise invalid("tensor_out_dup is not the same as tensor_out")
            part = torch.zeros_like(window).flatten(1, 2)
            part = part.scatter(1, best, out_backprop[:, i, j].unsqueeze(1)).view(window.shape)
            result[:, top:bottom, left:right] += part
    return result


fractional_avg_pool_grad_op = define(
    "FractionalAvgPoolGrad(orig_input_tensor_shape: int64, out_backprop: T, "
    "row_pooling_sequence: int64, col_pooling_sequence: int64; overlapping: bool = False)"
    " -> output: T",
    host=("orig_input_tensor_shape",),
    T=_TYPES,
    devices=("CPU",),
    differentiable=False,
    doc="The gradient of fractional average pooling.",
)


@fractional_avg_pool_grad_op.shape
def fractional_avg_pool_grad_shape(
    orig_input_tensor_shape: Static, *_: Static, **__: object
) -> Dims:
    return from_value(orig_input_tensor_shape) or (None,) * 4


@fractional_avg_pool_grad_op.kernel
def fractional_avg_pool_grad_kernel(
    orig_input_tensor_shape: np.ndarray[Any, Any],
    out_backprop: torch.Tensor,
    row_pooling_sequence: torch.Tensor,
    col_pooling_sequence: torch.Tensor,
    *,
    overlapping: bool,
) -> Any:
    if orig_input_tensor_shape.shape != (4,):
        raise invalid("original input tensor shape must be 1-dimensional and 4 elements")
    sizes = orig_input_tensor_shape.tolist()
    for name, sequence, count in (
        ("row", row_pooling_sequence, 1 if out_backprop.dim() < 2 else out_backprop.shape[1]),
        ("col", col_pooling_sequence, 1 if out_backprop.dim() < 3 else out_backprop.shape[2]),
    ):
        if not out_backprop.numel():
            raise invalid("out_backprop must be positive for all dimension, got:0")
        if sequence.numel() <= count:
            raise invalid(
                f"Given out_backprop shape {bracketed(out_backprop.shape)}, {name}_seq_tensor must "
                f"have at least {count + 1} elements, but got {sequence.numel()}"
            )
        # TensorFlow refuses a zero after the first place in the words for negative values.
        if bool((sequence < 0).any()) or bool((sequence[1:] == 0).any()):
            what = "Row" if name == "row" else "Column"
            raise invalid(f"{what} sequence tensor values must not be negative")
    result = out_backprop.new_zeros(sizes)
    # The sequences may be any that somebody gives: windows end with the image, and there are no
    # more of them than results.
    rows = _spans(row_pooling_sequence.reshape(-1).tolist(), overlapping, sizes[1])
    columns = _spans(col_pooling_sequence.reshape(-1).tolist(), overlapping, sizes[2])
    for i, (top, bottom) in enumerate(_within(rows, out_backprop.shape[1], sizes[1])):
        for j, (left, right) in enumerate(_within(columns, out_backprop.shape[2], sizes[2])):
            if top >= bottom or left >= right:
                continue
            area = (bottom - top) * (right - left)
            given = out_backprop[:, i, j].unsqueeze(1).unsqueeze(1)
            share = given / area if given.is_floating_point() else given // area
            result[:, top:bottom, left:right] += share
    return result


def _checked_ratio(ratio: Any) -> list[float]:
    if isinstance(ratio, (int, float)):
        values = [1.0, float(ratio), float(ratio), 1.0]
        shown: Any = ratio
    else:
        values, shown = [float(each) for each in ratio], ratio
        if len(values) < 2 or (len(values) == 2 and values[0] != 1.0):
            raise ValueError(
                "`pooling_ratio` should have first and last elements with value 1.0. "
                f"Received: pooling_ratio={shown}"
            )
    if any(each < 1.0 for each in values):
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={shown}")
    if values[0] != 1.0 or values[-1] != 1.0:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. "
            f"Received: pooling_ratio={shown}"
        )
    return values


def _pooled(
    op: Callable[..., Any],
    value: Tensor,
    ratio: Any,
    pseudo: bool,
    overlap: bool,
    seed: int,
    name: Any,
) -> Any:
    values = _checked_ratio(ratio)
    seeds: dict[str, Any] = {"deterministic": False, "seed": 0, "seed2": 0}
    if seed:
        first, second = get_seed(seed)
        seeds = {"deterministic": True, "seed": first, "seed2": second}
    return op(
        value, pooling_ratio=values, pseudo_random=pseudo, overlapping=overlap, **seeds, name=name
    )


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Return the largest element of windows that shrink an image by `pooling_ratio`.

    Also where the windows begin: rows, then columns.
    """
    if not seed:
        refuse_no_seed("tf.nn.fractional_max_pool", seed)
    return FractionalMaxPool(
        *_pooled(
            fractional_max_pool_op, value, pooling_ratio, pseudo_random, overlapping, seed, name
        )
    )


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Sequence[Any],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Return the mean of windows that shrink an image by `pooling_ratio`, and where they begin."""
    return FractionalAvgPool(
        *_pooled(
            fractional_avg_pool_op, value, pooling_ratio, pseudo_random, overlapping, seed, name
        )
    )


def fractional_max_pool_by_seeds(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """TensorFlow 1's `fractional_max_pool`: its seeds are the op's own, as they are."""
    if determinism.deterministic and not (seed and seed2 and deterministic):
        raise ValueError(
            'tf.compat.v1.nn.fractional_max_pool requires "seed" and "seed2" to be non-zero and '
            '"deterministic" to be true when op determinism is enabled. Please pass in such '
            f'values, e.g. by passing "seed=1, seed2=1, deterministic=True". Got: seed={seed}, '
            f"seed2={seed2}, deterministic={deterministic}"
        )
    return FractionalMaxPool(
        *fractional_max_pool_op(
            value,
            pooling_ratio=pooling_ratio,
            pseudo_random=pseudo_random,
            overlapping=overlapping,
            deterministic=deterministic,
            seed=seed,
            seed2=seed2,
            name=name,
        )
    )


def fractional_avg_pool_by_seeds(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """TensorFlow 1's `fractional_avg_pool`: its seeds are the op's own, as they are."""
    return FractionalAvgPool(
        *fractional_avg_pool_op(
            value,
            pooling_ratio=pooling_ratio,
            pseudo_random=pseudo_random,
            overlapping=overlapping,
            deterministic=deterministic,
            seed=seed,
            seed2=seed2,
            name=name,
        )
    )
