"""What one pooling looks like: its windows, its checks, and how torch is asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from placewise import native
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims
from placewise.ops.host_array import host_array
from placewise.ops.nn.windows import (
    Window,
    check_explicit,
    is_channels_first,
    pairs,
    spatial,
    static_count,
    window_of,
)


class Pooling(NamedTuple):
    """All integers of one pooling, in torch's order."""

    channels_first: bool
    ksize: list[int]
    strides: list[int]
    padding: list[int]
    ceil_mode: bool
    added: list[int] | None  # what to pad by hand when torch's own padding cannot say it
    windows: tuple[Window, ...]
    output_shape: tuple[int, ...]
    depth_window: int
    is_empty: bool


_Sizes = tuple[int, ...]

# With more threads than these, torch's kernels are ahead of one loop in C.
_FEW_THREADS = 4


def pooled_in_c(x: torch.Tensor, plan: Pooling, is_mean: bool) -> Any:
    """Return maxima or means of windows by the native module; None where torch computes them."""
    images = _images_for_c(x, plan)
    if images is None:
        return None
    y = torch.empty(plan.output_shape)
    native.code.pool_images(images, y.numpy(), *geometry(x, plan), is_mean)
    return y


def scattered_in_c(x: torch.Tensor, dy: torch.Tensor, plan: Pooling) -> Any:
    """Return `dy` put back where the maxima of `x` were; None where torch does it."""
    # The gradient of a sum is one number, spread out.
    images, gradients = _images_for_c(x, plan), host_array(dy.contiguous(), torch.float32)
    if images is None or gradients is None:
        return None
    dx = torch.zeros(x.shape)
    native.code.max_pool_gradient(images, gradients, dx.numpy(), *geometry(x, plan))
    return dx


def _images_for_c(x: torch.Tensor, plan: Pooling) -> Any:
    is_suited = x.dim() == 4 and not plan.channels_first and plan.depth_window == 1
    if not is_suited or native.code is None or torch.get_num_threads() > _FEW_THREADS:
        return None
    return host_array(x, torch.float32)


def geometry(x: torch.Tensor, plan: Pooling) -> tuple[_Sizes, _Sizes, _Sizes, _Sizes, _Sizes]:
    """Return what the native module must know of a pooling of images, height before width."""
    before, counts = zip(*((each.before, each.count) for each in plan.windows), strict=True)
    return tuple(x.shape), tuple(plan.ksize), tuple(plan.strides), before, counts


_EDGES = (("Top", "Bottom"), ("Left", "Right"))


def _unimplemented(message: str) -> UnimplementedError:
    return UnimplementedError(None, None, message)


@lru_cache(4096)
def pooling(
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit: tuple[int, ...],
    data_format: str,
    rank: int,
    is_max: bool,
) -> Pooling:
    """Return the geometry of a pooling; checks everything."""
    first = is_channels_first(data_format)
    channel = 1 if first else rank - 1
    if len(ksize) != rank:
        raise invalid(f"Sliding window ksize field must specify {rank} dimensions")
    if len(strides) != rank:
        raise invalid(f"Sliding window stride field must specify {rank} dimensions")
    if min(ksize) < 1:
        raise invalid(_bad_ksize(ksize, rank, is_max))
    if ksize[0] != 1 or strides[0] != 1:
        raise _unimplemented("Pooling is not yet supported on the batch dimension.")
    if padding == "EXPLICIT":  # they are ignored otherwise, where a convolution refuses them
        check_explicit(padding, explicit, rank, data_format)
    else:
        explicit = ()
    if len(shape) != rank:
        raise invalid(
            f"tensor_in_shape must have 2 spatial dimensions. {len(shape)} {int(first)}"
            if rank == 4
            else "tensor_in must be 5-dimensional"
        )
    if min(strides) < 1:
        raise invalid(f"Stride must be > 0, but got {min(strides)}")
    depth = ksize[channel]
    if depth != 1 or strides[channel] != 1:
        _check_depth(shape[channel], ksize, strides, channel, is_max and rank == 4)
    return _build(shape, ksize, strides, padding, explicit, first, depth)


def _bad_ksize(ksize: tuple[int, ...], rank: int, is_max: bool) -> str:
    if rank == 5:
        return "Sliding window ksize field must have non-negative dimensions"
    if is_max:
        shown = ",".join(map(str, ksize))
        return f"Sliding window ksize must be positive. The specified or inferred ksize is: {shown}"
    return f"ksize must be a positive int32 value, got:{min(ksize)}"


def _check_depth(
    size: int, ksize: tuple[int, ...], strides: tuple[int, ...], channel: int, allowed: bool
) -> None:
    if not allowed:
        raise _unimplemented("Non-spatial pooling is not yet supported. Volunteers? :)")
    if any(k != 1 for index, k in enumerate(ksize) if index != channel):
        raise _unimplemented(
            "MaxPooling supports exactly one of pooling across depth or pooling "
            "across width/height."
        )
    if size % ksize[channel]:
        raise _unimplemented(
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        )
    if strides[channel] != ksize[channel]:
        raise _unimplemented(
            "Depthwise max pooling requires the depth window to equal the depth stride"
        )


def _build(
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit: tuple[int, ...],
    first: bool,
    depth: int,
) -> Pooling:
    count = len(shape) - 2
    sizes, window, steps = (list(spatial(each, first)) for each in (shape, ksize, strides))
    around = pairs(explicit, first) if padding == "EXPLICIT" else ((0, 0),) * count
    windows = []
    for index in range(count):
        for word, edge in zip(_EDGES[index % 2], around[index], strict=True):
            if edge >= window[index]:
                raise invalid(
                    f"{word} padding {edge} needs to be smaller than the window size "
                    f"{window[index]}"
                )
        windows.append(
            window_of(sizes[index], window[index], steps[index], 1, padding, around[index])
        )
    counts = [each.count for each in windows]
    channels = shape[1 if first else -1] // depth
    output = (shape[0], channels, *counts) if first else (shape[0], *counts, channels)
    symmetric, ceil_mode, added = _asked_of_torch(sizes, window, steps, windows)
    return Pooling(
        first,
        window,
        steps,
        symmetric,
        ceil_mode,
        added,
        tuple(windows),
        output,
        depth,
        0 in output or 0 in shape,
    )


def _asked_of_torch(
    sizes: list[int], window: list[int], steps: list[int], windows: list[Window]
) -> tuple[list[int], bool, list[int] | None]:
    """Return padding, ceil_mode and what is left to pad by hand.

    With ceil_mode, torch lets the last window hang over the end: TensorFlow's SAME in most cases,
    without a padded copy.
    """
    before = [each.before for each in windows]
    if all(2 * edge <= k for edge, k in zip(before, window, strict=True)):
        for ceil_mode in (False, True):
            if all(
                _torch_count(size, k, step, edge, ceil_mode) == wanted.count
                and (ceil_mode or wanted.after <= wanted.before)
                for size, k, step, edge, wanted in zip(
                    sizes, window, steps, before, windows, strict=True
                )
            ):
                return before, ceil_mode, None
    added = [edge for each in reversed(windows) for edge in (each.before, each.after)]
    return [0] * len(sizes), False, added


def _torch_count(size: int, window: int, stride: int, padding: int, ceil_mode: bool) -> int:
    room = size + 2 * padding - window
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    # torch drops a window that would begin in the padding after the end.
    return count - 1 if (count - 1) * stride >= size + padding else count


def pool_shape(
    shape: Dims,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit: Sequence[int],
    data_format: str,
    rank: int,
) -> Dims:
    """Return the shape of a pooling's result as far as it is known: its shape rule."""
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(shape)}")
    first = is_channels_first(data_format)
    channel = 1 if first else rank - 1
    edges = pairs(explicit, first) if padding == "EXPLICIT" else ((0, 0),) * (rank - 2)
    counts = [
        static_count(size, k, s, 1, padding, edge)
        for size, k, s, edge in zip(
            spatial(shape, first),
            spatial(ksize, first),
            spatial(strides, first),
            edges,
            strict=True,
        )
    ]
    depth = shape[channel]
    depth = depth if depth is None else depth // ksize[channel]
    return (shape[0], depth, *counts) if first else (shape[0], *counts, depth)


def lowest(dtype: torch.dtype) -> float | int:
    """Return the value that no maximum prefers: minus infinity, or the least integer."""
    return -torch.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def narrowed(x: torch.Tensor, windows: Sequence[Window], sizes: Sequence[int]) -> Any:
    """Return `x` (torch's order) without what was added around it."""
    for index, window in enumerate(windows):
        x = x.narrow(2 + index, window.before, sizes[index])
    return x
