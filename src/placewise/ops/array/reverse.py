"""Elements in another order along an axis: reverse, roll, reverse_sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import INDEX, NUMBERS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text, moving
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed


@op(
    "ReverseV2(tensor: T, axis: Tidx) -> output: T",
    host=("axis",),
    Tidx=INDEX,
    T=NUMBERS | dtypes.BOOL | {dtypes.string},
    static="shapes",
)
def reverse(tensor: TensorLike, axis: AxisLike, name: str | None = None) -> Any:
    """Return `tensor` back to front along each of the axes given."""
    return reverse.bind(tensor, axis, name)


@reverse.shape
def reverse_shape(tensor: Static, axis: Static) -> Dims:
    if tensor.shape is not None and axis.value is not None:
        rank = len(tensor.shape)
        for each in np.asarray(axis.value).reshape(-1).tolist():
            if not -rank <= each < rank:
                raise ValueError(f"axis {each} is out of valid range [-{rank}, {rank}]")
    return tensor.shape


@reverse.kernel
def reverse_kernel(tensor: Any, axis: np.ndarray[Any, Any]) -> Any:
    rank = len(tensor.shape)
    if not rank:  # TensorFlow does not look at the axes of a scalar
        return tensor
    if axis.ndim != 1:
        raise invalid(f"'dims' must be 1-dimension, not {axis.ndim}")
    axes: list[int] = []
    for index, each in enumerate(axis.reshape(-1).tolist()):
        if not -rank <= each < rank:
            raise invalid(f"'axis'[{index}] = {each} is out of valid range [0, {rank - 1}")
        each %= rank
        if each in axes:
            raise invalid(f"axis {each} specified more than once.")
        axes.append(each)
    if not axes:
        return tensor
    return np.flip(tensor, tuple(axes)) if is_text(tensor) else tensor.flip(axes)


reverse.kernel(moving(reverse_kernel), on="wide_unsigned")


@reverse.gradient
def reverse_gradient(call: Call, dy: Tensor) -> Any:
    return reverse(dy, call.inputs[1]), None


@op(
    "Roll(input: T, shift: Tshift, axis: Taxis) -> output: T",
    host=("shift", "axis"),
    Tshift=INDEX,
    Taxis=INDEX,
    default_types={"Taxis": None},
)
def roll(input: TensorLike, shift: TensorLike, axis: AxisLike, name: str | None = None) -> Any:
    """Return `input` with its elements moved on by `shift` along `axis`, the last to the front."""
    return roll.bind(input, shift, axis, name)


def _unequal(one: Any, other: Any) -> str:
    if len(one) != len(other):
        return f"Shapes must be equal rank, but are {len(one)} and {len(other)}"
    return (
        f"Dimension 0 in both shapes must be equal, but are {one[0]} and {other[0]}. Shapes are "
        f"{bracketed(one)} and {bracketed(other)}."
    )


@roll.shape
def roll_shape(input: Static, shift: Static, axis: Static) -> Any:
    if input.shape is not None and not input.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    for argument in (shift, axis):
        if argument.shape is not None and len(argument.shape) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(argument.shape)}")
    one, other = shift.shape, axis.shape
    if one is not None and other is not None and one != other:
        raise ValueError(_unequal(one, other))
    return input.shape


@roll.kernel
def roll_kernel(input: Any, shift: np.ndarray[Any, Any], axis: np.ndarray[Any, Any]) -> Any:
    rank = len(input.shape)
    if rank < 1:
        raise invalid("input must be 1-D or higher")
    if shift.ndim > 1:
        raise invalid(f"shift must be a scalar or a 1-D vector. Found: {list(shift.shape)}")
    if axis.ndim > 1:
        raise invalid(f"axis must be a scalar or a 1-D vector. Found: {list(axis.shape)}")
    if shift.shape != axis.shape:
        raise invalid("shift and axis must have the same size")
    shifts, axes = shift.reshape(-1).tolist(), axis.reshape(-1).tolist()
    for each in axes:
        if not -rank <= each < rank:
            raise invalid(f"axis {each} is out of range")
    # A shift may be any number of 64 bits, of which one and its negative may be too much for torch.
    shifts = [by % max(input.shape[on], 1) for by, on in zip(shifts, axes, strict=True)]
    if is_text(input):
        return np.roll(input, shifts, axes)
    return input.roll(shifts, axes) if axes else input


@roll.gradient
def roll_gradient(call: Call, dy: Tensor) -> Any:
    return roll(dy, -call.inputs[1], call.inputs[2]), None, None


@op(
    "ReverseSequence(input: T, seq_lengths: Tlen; seq_dim: int, batch_dim: int = 0) -> output: T",
    Tlen=INDEX,
)
def reverse_sequence(
    input: TensorLike,
    seq_lengths: Sequence[Any],
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Any:
    """Return `input` with the first `seq_lengths[b]` elements along `seq_axis` back to front.

    b counts along `batch_axis`, the first unless given.
    """
    return reverse_sequence.bind(
        input,
        seq_lengths,
        seq_dim=0 if seq_axis is None else int(seq_axis),
        batch_dim=0 if batch_axis is None else int(batch_axis),
        name=name,
    )


@reverse_sequence.shape
def reverse_sequence_shape(
    input: Static, seq_lengths: Static, *, seq_dim: int, batch_dim: int
) -> Dims:
    if input.shape is not None:
        if batch_dim >= len(input.shape):
            raise ValueError(f"batch_dim must be < input rank: {batch_dim} vs. {len(input.shape)}")
        if seq_dim >= len(input.shape):
            raise ValueError(f"seq_dim must be < input rank: {seq_dim} vs. {len(input.shape)}")
    return input.shape


@reverse_sequence.kernel
def reverse_sequence_kernel(
    input: Any, seq_lengths: torch.Tensor, *, seq_dim: int, batch_dim: int
) -> Any:
    shape = tuple(input.shape)
    rank = len(shape)
    _check_lengths(shape, seq_lengths, seq_dim, batch_dim)
    count = shape[seq_dim]
    spread = [1] * rank
    spread[batch_dim] = -1
    lengths = seq_lengths.long().reshape(spread)
    if not lengths.is_cpu:
        lengths = lengths.clamp(0, count)
    spread = [1] * rank
    spread[seq_dim] = -1
    places = torch.arange(count, device=lengths.device).reshape(spread)
    index = torch.where(places < lengths, lengths - 1 - places, places)
    if is_text(input):
        return np.take_along_axis(input, index.expand(shape).numpy(), seq_dim)
    return torch.gather(input, seq_dim, index.expand(shape))


reverse_sequence.kernel(moving(reverse_sequence_kernel), on="wide_unsigned")


def _check_lengths(
    shape: tuple[int, ...], lengths: torch.Tensor, seq_dim: int, batch_dim: int
) -> None:
    rank = len(shape)
    if lengths.dim() != 1:
        raise invalid(f"seq_lens input must be 1-dim, not {lengths.dim()}")
    if batch_dim == seq_dim:
        raise invalid(f"batch_dim == seq_dim == {seq_dim}")
    if seq_dim >= rank:
        raise invalid(f"seq_dim must be < input rank ( {seq_dim} vs. {rank})")
    if batch_dim >= rank:
        raise invalid(f"batch_dim must be < input rank ( {batch_dim} vs. {rank})")
    if seq_dim < 0 or batch_dim < 0:
        raise invalid("seq_dim and batch_dim must be >= 0")
    if lengths.shape[0] != shape[batch_dim]:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({lengths.shape[0]} vs. "
            f"{shape[batch_dim]})"
        )
    for index, length in enumerate(lengths.tolist() if lengths.is_cpu else ()):
        if length < 0:
            raise invalid(f"seq_lens({index}) < 0")
        if length > shape[seq_dim]:
            raise invalid(f"seq_lens({index}) > input.dims({seq_dim})")


@reverse_sequence.gradient
def reverse_sequence_gradient(call: Call, dy: Tensor) -> Any:
    return reverse_sequence.bind(dy, call.inputs[1], **call.attrs), None
