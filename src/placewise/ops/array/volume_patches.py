"""Blocks that slide over volumes, laid out along the depth: extract_volume_patches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import REAL
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.contents import moving
from placewise.ops.declare import op


@op(
    "ExtractVolumePatches(input: T; ksizes: list(int) >= 5, strides: list(int) >= 5,"
    " padding: 'SAME'|'VALID')"
    " -> patches: T",
    T=REAL,
)
def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[Any],
    strides: Sequence[Any],
    padding: str,
    name: str | None = None,
) -> Any:
    """Return, at each place, the block of `ksizes` voxels there, along the last dimension."""
    return extract_volume_patches.bind(
        input, ksizes=tuple(ksizes), strides=tuple(strides), padding=padding, name=name
    )


def _counts(
    size: int | None, kernel: int, stride: int, padding: str
) -> tuple[int | None, int, int]:
    """Return how many blocks fit along a dimension, and the margins before and after it."""
    if size is None:
        return None, 0, 0
    if padding == "VALID":
        return max((size - kernel) // stride + 1, 0), 0, 0
    count = -(-size // stride)
    margin = max((count - 1) * stride + kernel - size, 0)
    return count, margin // 2, margin - margin // 2


def _check(ksizes: Any, strides: Any) -> None:
    for name, sizes in (("ksizes", ksizes), ("strides", strides)):
        if len(sizes) != 5:
            raise invalid(f"Length for attr '{name}' of {len(sizes)} must be at least minimum 5")
        if sizes[0] != 1 or sizes[4] != 1:
            raise invalid(
                f"Only support {name} across space: {name} across batch and depth must be 1"
            )
        if min(sizes) < 1:
            raise invalid(f"{name} must be positive")


@extract_volume_patches.shape
def extract_volume_patches_shape(input: Static, *, ksizes: Any, strides: Any, padding: str) -> Dims:
    if input.shape is None:
        return (None,) * 5
    if len(input.shape) != 5:
        raise ValueError(f"Shape must be rank 5 but is rank {len(input.shape)}")
    spatial = [_counts(input.shape[d], ksizes[d], strides[d], padding)[0] for d in (1, 2, 3)]
    depth = input.shape[4]
    voxels = ksizes[1] * ksizes[2] * ksizes[3]
    return (input.shape[0], *spatial, None if depth is None else depth * voxels)


@extract_volume_patches.kernel
def extract_volume_patches_kernel(input: Any, *, ksizes: Any, strides: Any, padding: str) -> Any:
    _check(ksizes, strides)
    if input.dim() != 5:
        raise invalid(f"input must be 5-dimensional{list(input.shape)}")
    margins: list[int] = [0, 0]  # of the last dimension first, as torch takes them
    for d in (3, 2, 1):
        _, before, after = _counts(input.shape[d], ksizes[d], strides[d], padding)
        margins += [before, after]
    if any(input.shape[d] + sum(margins[8 - 2 * d : 10 - 2 * d]) < ksizes[d] for d in (1, 2, 3)):
        attrs = {"ksizes": ksizes, "strides": strides, "padding": padding}
        known = Static(tuple(input.shape), None)
        return input.new_empty(extract_volume_patches_shape(known, **attrs))
    blocks = torch.constant_pad_nd(input, margins, 0) if any(margins) else input
    for d in (1, 2, 3):
        blocks = blocks.unfold(d, ksizes[d], strides[d])
    return blocks.permute(0, 1, 2, 3, 5, 6, 7, 4).flatten(4)


extract_volume_patches.kernel(moving(extract_volume_patches_kernel), on="wide_unsigned")
