"""What one convolution looks like, and torch's functions that compute it and its gradients.

Arrays come in TensorFlow's layouts (NHWC or NCHW, filters HWIO) and are only viewed in torch's
order: NHWC is what torch calls channels_last, which is also its fastest on CPUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.ops.families import bracketed
from placewise.ops.nn.windows import (
    Window,
    check_explicit,
    is_channels_first,
    pairs,
    spatial,
    static_count,
    torch_padding,
    window_of,
)

if TYPE_CHECKING:
    import numpy as np

_backward = torch.ops.aten.convolution_backward.default


class Geometry(NamedTuple):
    """All integers of one convolution, in torch's order."""

    channels_first: bool
    strides: list[int]
    dilations: list[int]
    padding: list[int]
    added: list[int] | None  # what to pad by hand, in the order of torch's pad, or None
    zeros: list[int]
    groups: int
    counts: tuple[int, ...]
    windows: tuple[Window, ...]
    output_shape: tuple[int, ...]
    is_empty: bool


def checked_steps(
    strides: tuple[int, ...], dilations: tuple[int, ...], rank: int, data_format: str
) -> None:
    """Refuse strides and dilations that no convolution has."""
    channel = 1 if is_channels_first(data_format) else rank - 1
    if len(dilations) != rank:
        raise invalid(f"Sliding window dilations field must specify {rank} dimensions")
    refused = invalid if rank == 5 else _unimplemented
    if dilations[0] != 1 or dilations[channel] != 1:
        what = "dilation rates" if rank == 5 else "dilations"
        raise refused(
            f"Current implementation does not yet support {what} in the batch and depth dimensions."
        )
    if min(dilations) < 1:
        raise invalid("Dilated rates should be larger than 0.")
    if len(strides) != rank:
        raise invalid(f"Sliding window strides field must specify {rank} dimensions")
    if strides[0] != 1 or strides[channel] != 1:
        raise refused(
            "Current implementation does not yet support strides in the batch and depth dimensions."
        )
    if min(strides) < 1:
        raise invalid(
            "Row and column strides should be larger than 0."
            if rank == 4
            else "Spatial strides should be larger than 0."
        )


def _unimplemented(message: str) -> UnimplementedError:
    return UnimplementedError(None, None, message)


@lru_cache(4096)
def geometry(
    shape: tuple[int, ...],
    filter_shape: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
    rank: int,
) -> Geometry:
    """Return the geometry of a convolution of an input with a filter; checks everything."""
    checked_steps(strides, dilations, rank, data_format)
    check_explicit(padding, explicit, rank, data_format)
    if len(shape) != rank:
        raise invalid(
            f"convolution input must be 4-dimensional: {bracketed(shape)}"
            if rank == 4
            else "input must be 5-dimensional"
        )
    if len(filter_shape) != rank:
        raise invalid(
            f"convolution filter must be 4-dimensional: {bracketed(filter_shape)}"
            if rank == 4
            else "filter must be 5-dimensional"
        )
    first = is_channels_first(data_format)
    depth, patch, out = shape[1 if first else -1], filter_shape[-2], filter_shape[-1]
    if patch < 1:
        raise invalid(
            f"filter depth must be stricly positive, got {patch}"
            if rank == 4
            else "filter_depth must be non-zero"
        )
    if depth % patch:
        word = "input" if rank == 4 else "Input"
        raise invalid(f"{word} depth must be evenly divisible by filter depth: {depth} vs {patch}")
    groups = max(depth // patch, 1)
    if out % groups:
        raise invalid(
            f"output depth must be evenly divisible by number of groups: {out} vs {groups}"
        )
    g = build(shape, filter_shape, strides, padding, explicit, data_format, dilations, groups)
    if 0 in filter_shape and (rank == 5 or 0 not in g.output_shape):
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    return g


def build(
    shape: tuple[int, ...],
    filter_shape: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
    groups: int,
    out_depth: int | None = None,
) -> Geometry:
    """Return the geometry of arguments that were checked."""
    first = is_channels_first(data_format)
    count = len(shape) - 2
    steps, rates = spatial(strides, first), spatial(dilations, first)
    around = pairs(explicit, first) if padding == "EXPLICIT" else ((0, 0),) * count
    windows = tuple(
        window_of(size, k, step, rate, padding, edges)
        for size, k, step, rate, edges in zip(
            spatial(shape, first), filter_shape, steps, rates, around, strict=False
        )
    )
    counts = tuple(each.count for each in windows)
    symmetric, added = torch_padding(windows)
    out = filter_shape[-1] if out_depth is None else out_depth
    output = (shape[0], out, *counts) if first else (shape[0], *counts, out)
    return Geometry(
        first,
        list(steps),
        list(rates),
        symmetric,
        added,
        [0] * count,
        groups,
        counts,
        windows,
        output,
        0 in output or 0 in shape or 0 in filter_shape,
    )


_TO_TORCH = {4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}
_FROM_TORCH = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
_FILTER_TO_TORCH = {4: (3, 2, 0, 1), 5: (4, 3, 0, 1, 2)}
_FILTER_FROM_TORCH = {4: (2, 3, 1, 0), 5: (2, 3, 4, 1, 0)}
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
# Computed in another type: integers everywhere, for torch has no kernel; half on the CPU, where it
# is slow.
_THROUGH = {torch.float16: torch.float32, torch.int32: torch.float64}


def to_torch(x: torch.Tensor, channels_first: bool) -> Any:
    """View a batch of images in torch's order of dimensions."""
    return x if channels_first else x.permute(_TO_TORCH[x.dim()])


def from_torch(x: torch.Tensor, channels_first: bool) -> Any:
    """View a batch of torch's images in TensorFlow's order of dimensions."""
    return x if channels_first else x.permute(_FROM_TORCH[x.dim()])


def _through(x: torch.Tensor, filter: torch.Tensor) -> Any:
    return _THROUGH.get(x.dtype) if x.is_cpu or x.dtype is torch.int32 else None


def _back(y: torch.Tensor, dtype: torch.dtype) -> Any:
    return y.to(torch.int64).to(dtype) if dtype is torch.int32 else y.to(dtype)


def _padded(x: torch.Tensor, g: Geometry) -> Any:
    return x if g.added is None else torch.constant_pad_nd(x, g.added)


def convolve(x: torch.Tensor, filter: torch.Tensor, g: Geometry) -> Any:
    """Return the convolution of `x` with `filter` (HWIO)."""
    if g.is_empty:
        return x.new_zeros(g.output_shape)
    if (other := _through(x, filter)) is not None:
        return _back(convolve(x.to(other), filter.to(other), g), x.dtype)
    seen = _padded(to_torch(x, g.channels_first), g)
    y = torch.convolution(
        seen,
        filter.permute(_FILTER_TO_TORCH[filter.dim()]),
        None,
        g.strides,
        g.padding,
        g.dilations,
        False,
        g.zeros,
        g.groups,
    )
    return from_torch(y, g.channels_first)


def input_gradient(
    shape: Sequence[int], filter: torch.Tensor, dy: torch.Tensor, g: Geometry
) -> Any:
    """Return what reaches an input of `shape` when `dy` reaches the convolution's result."""
    if g.is_empty:
        return dy.new_zeros(tuple(shape))
    if (other := _through(dy, filter)) is not None:
        return _back(input_gradient(shape, filter.to(other), dy.to(other), g), dy.dtype)
    seen = to_torch(dy, g.channels_first)
    sizes = (
        [shape[0], shape[1], *shape[2:]]
        if g.channels_first
        else [shape[0], shape[-1], *shape[1:-1]]
    )
    padded = list(sizes)
    if g.added is not None:
        for index, window in enumerate(g.windows):
            padded[2 + index] += window.before + window.after
    layout = torch.contiguous_format if g.channels_first else _LAST[len(sizes)]
    like = torch.empty(padded, dtype=dy.dtype, device=dy.device, memory_format=layout)
    dx = _backward(
        seen,
        like,
        filter.permute(_FILTER_TO_TORCH[filter.dim()]),
        None,
        g.strides,
        g.padding,
        g.dilations,
        False,
        g.zeros,
        g.groups,
        (True, False, False),
    )[0]
    if g.added is None:
        return from_torch(dx, g.channels_first)
    for index, window in enumerate(g.windows):
        dx = dx.narrow(2 + index, window.before, sizes[2 + index])
    return from_torch(dx, g.channels_first).contiguous()


def filter_gradient(
    x: torch.Tensor, filter_shape: Sequence[int], dy: torch.Tensor, g: Geometry
) -> Any:
    """Return what reaches a filter of `filter_shape` when `dy` reaches the convolution's result."""
    if g.is_empty:
        return dy.new_zeros(tuple(filter_shape))
    if (other := _through(dy, dy)) is not None:
        return _back(filter_gradient(x.to(other), filter_shape, dy.to(other), g), dy.dtype)
    # slow paths of torch want this in its own order, contiguous
    order = _FILTER_TO_TORCH[len(filter_shape)]
    like = torch.empty([filter_shape[i] for i in order], dtype=dy.dtype, device=dy.device)
    dw = _backward(
        to_torch(dy, g.channels_first),
        _padded(to_torch(x, g.channels_first), g),
        like,
        None,
        g.strides,
        g.padding,
        g.dilations,
        False,
        g.zeros,
        g.groups,
        (False, True, False),
    )[1]
    return dw.permute(_FILTER_FROM_TORCH[like.dim()]).contiguous()


def stated_shape(sizes: Static, rank: int) -> Dims:
    """Return the shape that an input of sizes states: shape rule of the gradients."""
    if sizes.shape is not None and len(sizes.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(sizes.shape)}")
    dims = from_value(sizes)
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    return dims


def check_sizes(what: str, sizes: np.ndarray[Any, Any]) -> None:
    """Refuse sizes that are no vector."""
    if sizes.ndim != 1:
        raise invalid(f"{what} shape must be rank 1 but is rank {sizes.ndim}")


def output_shape(
    shape: Dims,
    filter_shape: Dims,
    strides: Sequence[int],
    padding: str,
    explicit: Sequence[int],
    data_format: str,
    dilations: Sequence[int],
    rank: int,
) -> Dims:
    """Return the shape of a convolution's result as far as it is known: its shape rule."""
    for given in (shape, filter_shape):
        if given is not None and len(given) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(given)}")
    shape = shape if shape is not None else (None,) * rank
    filter_shape = filter_shape if filter_shape is not None else (None,) * rank
    first = is_channels_first(data_format)
    depth, patch = shape[1 if first else -1], filter_shape[-2]
    if depth is not None and patch and depth % patch:
        raise ValueError(
            f"Depth of input ({depth}) is not a multiple of input depth of filter ({patch})"
        )
    groups = depth // patch if depth and patch else 1
    if filter_shape[-1] is not None and filter_shape[-1] % groups:
        raise ValueError(
            f"Depth of output ({filter_shape[-1]}) is not a multiple of the number of groups "
            f"({groups})"
        )
    edges = pairs(explicit, first) if padding == "EXPLICIT" else ((0, 0),) * (rank - 2)
    counts = [
        static_count(size, k, step, rate, padding, edge)
        for size, k, step, rate, edge in zip(
            spatial(shape, first),
            filter_shape,
            spatial(strides, first),
            spatial(dilations, first),
            edges,
            strict=False,  # the filter's shape goes on with its channels
        )
    ]
    if first:
        return (shape[0], filter_shape[-1], *counts)
    return (shape[0], *counts, filter_shape[-1])
