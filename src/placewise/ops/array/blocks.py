"""Blocks of an image moved into depth or batch, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, divided, lessened
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import stack
from placewise.ops.array.contents import product
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.padding import pad_kernel
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.values import Content, EagerTensor

if TYPE_CHECKING:
    import torch


def _permuted(x: Any, order: list[int]) -> Any:
    return x.transpose(order) if isinstance(x, np.ndarray) else x.permute(order)


def _check(input: Any, block_size: int, data_format: str, name: str) -> None:
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f"Only NHWC and NCHW data_format supported on CPU. Got {data_format}")
    if block_size < 2:
        raise invalid(f"Value for attr 'block_size' of {block_size} must be at least minimum 2")
    if len(input) != 4:
        raise invalid(f"Input rank should be 4 instead of {len(input)}")


@op(
    "SpaceToDepth(input: T; block_size: int >= 2,"
    " data_format: 'NHWC'|'NCHW'|'NCHW_VECT_C' = 'NHWC') -> output: T",
)
def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Return `input` with each block of pixels laid out along the depth."""
    return space_to_depth.bind(input, block_size=block_size, data_format=data_format, name=name)


def _scaled(shape: Any, data_format: str, block: int, inwards: bool) -> Dims:
    if shape is None:
        return (None,) * 4
    if len(shape) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(shape)}")
    n, h, w, c = shape if data_format == "NHWC" else (shape[0], shape[2], shape[3], shape[1])
    if inwards:
        h, w = divided(h, block), divided(w, block)
        c = None if c is None else c * block * block
    else:
        h, w = (None if d is None else d * block for d in (h, w))
        c = divided(c, block * block)
    return (n, h, w, c) if data_format == "NHWC" else (n, c, h, w)


@space_to_depth.shape
def space_to_depth_shape(input: Static, *, block_size: int, data_format: str) -> Dims:
    return _scaled(input.shape, data_format, block_size, inwards=True)


@space_to_depth.kernel
def space_to_depth_kernel(input: Content, *, block_size: int, data_format: str) -> Any:
    _check(input.shape, block_size, data_format, "SpaceToDepth")
    b = block_size
    if data_format == "NHWC":
        n, h, w, c = input.shape
    else:
        n, c, h, w = input.shape
    if h % b or w % b:
        raise invalid(f"Image width {w} and height {h} should be divisible by block_size: {b}")
    if data_format == "NHWC":
        split = input.reshape(n, h // b, b, w // b, b, c)
        return _permuted(split, [0, 1, 3, 2, 4, 5]).reshape(n, h // b, w // b, b * b * c)
    split = input.reshape(n, c, h // b, b, w // b, b)
    return _permuted(split, [0, 3, 5, 1, 2, 4]).reshape(n, b * b * c, h // b, w // b)


@space_to_depth.gradient
def space_to_depth_gradient(call: Call, dy: Tensor) -> Any:
    return depth_to_space.bind(dy, **call.attrs)


@op(
    "DepthToSpace(input: T; block_size: int >= 2,"
    " data_format: 'NHWC'|'NCHW'|'NCHW_VECT_C' = 'NHWC') -> output: T",
)
def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Return `input` with its depth laid out as blocks of pixels."""
    return depth_to_space.bind(input, block_size=block_size, data_format=data_format, name=name)


@depth_to_space.shape
def depth_to_space_shape(input: Static, *, block_size: int, data_format: str) -> Dims:
    return _scaled(input.shape, data_format, block_size, inwards=False)


@depth_to_space.kernel
def depth_to_space_kernel(input: Content, *, block_size: int, data_format: str) -> Any:
    _check(input.shape, block_size, data_format, "DepthToSpace")
    b = block_size
    if data_format == "NHWC":
        n, h, w, c = input.shape
    else:
        n, c, h, w = input.shape
    if c % (b * b):
        raise invalid(f"Input depth dimension {c} should be divisible by: {b * b}")
    c //= b * b
    if data_format == "NHWC":
        split = input.reshape(n, h, w, b, b, c)
        return _permuted(split, [0, 1, 3, 2, 4, 5]).reshape(n, h * b, w * b, c)
    split = input.reshape(n, b, b, c, h, w)
    return _permuted(split, [0, 3, 4, 1, 5, 2]).reshape(n, c, h * b, w * b)


@depth_to_space.gradient
def depth_to_space_gradient(call: Call, dy: Tensor) -> Any:
    return space_to_depth.bind(dy, **call.attrs)


@op(
    "SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> output: T",
    host=("block_shape", "paddings"),
    Tblock_shape=INDEX,
    Tpaddings=INDEX,
)
def space_to_batch_nd(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Any:
    """Return `input`, padded, with blocks of its middle dimensions moved into the batch."""
    return space_to_batch_nd.bind(input, block_shape, paddings, name)


def space_to_batch(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Any:
    """Return `input`, padded, with blocks of its middle dimensions moved into the batch."""
    return space_to_batch_nd.bind(input, block_shape, paddings, name)


@space_to_batch_nd.shape
def space_to_batch_nd_shape(input: Static, block_shape: Static, paddings: Static) -> Dims:
    if input.shape is None:
        return None
    if block_shape.value is None or paddings.value is None:
        return (None,) * len(input.shape)
    blocks, margins = _known_blocks(input.shape, block_shape, paddings, "paddings")
    middle = [
        divided(None if d is None else d + before + after, b)
        for d, b, (before, after) in zip(input.shape[1:], blocks, margins, strict=False)
    ]
    batch = input.shape[0]
    return (
        None if batch is None else batch * product(blocks),
        *middle,
        *input.shape[1 + len(middle) :],
    )


def _known_blocks(
    shape: tuple[Any, ...], block_shape: Static, margins: Static, what: str
) -> tuple[list[int], list[Any]]:
    """Return the sizes of blocks and the margins that a shape rule knows, if they can be."""
    blocks = np.asarray(block_shape.value).reshape(-1).tolist()
    pairs = np.asarray(margins.value).reshape(-1, 2).tolist()
    if len(shape) < 1 + len(blocks):
        raise ValueError(f"Shape must be at least rank {1 + len(blocks)} but is rank {len(shape)}")
    if any(size < 1 for size in blocks):
        raise ValueError("block_shape must be positive")
    if any(size < 0 for pair in pairs for size in pair):
        raise ValueError(f"{what} cannot be negative")
    return blocks, pairs


def _check_blocks(
    input: torch.Tensor, block: np.ndarray[Any, Any], margins: np.ndarray[Any, Any], what: str
) -> tuple[list[int], list[Any]]:
    if block.ndim != 1:
        raise invalid(f"block_shape rank should be 1 instead of {block.ndim}")
    sizes = block.tolist()
    if len(input.shape) < 1 + len(sizes):
        raise invalid(f"input rank should be >= {1 + len(sizes)} instead of {len(input.shape)}")
    if margins.shape != (len(sizes), 2):
        raise invalid(
            f"{what} should have shape [{len(sizes)}, 2] instead of {list(margins.shape)}"
        )
    for index, size in enumerate(sizes):
        if size < 1:
            raise invalid(
                f"All values in block_shape must be positive, got value, {size} at index {index}"
            )
    pairs = margins.tolist()
    if any(size < 0 for pair in pairs for size in pair):
        raise invalid(f"{what} must be non-negative")
    return sizes, pairs


@space_to_batch_nd.kernel
def space_to_batch_nd_kernel(
    input: Any, block_shape: np.ndarray[Any, Any], paddings: np.ndarray[Any, Any]
) -> Any:
    sizes, pairs = _check_blocks(input, block_shape, paddings, "paddings")
    m = len(sizes)
    rest = len(input.shape) - 1 - m
    padded = pad_kernel(input, np.asarray([[0, 0], *pairs, *[[0, 0]] * rest]))
    shape = padded.shape
    for index, size in enumerate(sizes):
        if shape[1 + index] % size:
            raise invalid(
                f"padded_shape[{index}]={shape[1 + index]} is not divisible by "
                f"block_shape[{index}]={size}"
            )
    split = [shape[0]]
    for index, size in enumerate(sizes):
        split += [shape[1 + index] // size, size]
    split += list(shape[1 + m :])
    order = [2 + 2 * i for i in range(m)] + [0] + [1 + 2 * i for i in range(m)]
    order += list(range(1 + 2 * m, len(split)))
    middle = [shape[1 + i] // size for i, size in enumerate(sizes)]
    return _permuted(padded.reshape(split), order).reshape(
        [shape[0] * product(sizes), *middle, *shape[1 + m :]]
    )


@space_to_batch_nd.gradient
def space_to_batch_nd_gradient(call: Call, dy: Tensor) -> Any:
    return batch_to_space_nd(dy, call.inputs[1], call.inputs[2]), None, None


batch_to_space_nd = define(
    "BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> output: T",
    host=("block_shape", "crops"),
    Tblock_shape=INDEX,
    Tcrops=INDEX,
    doc="Return `input` with the batch moved back into blocks, then cropped.",
)


def batch_to_space(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Any:
    """Return `input` with the batch moved back into blocks of its middle dimensions, cropped."""
    if isinstance(block_shape, int):
        block_shape = np.asarray([block_shape, block_shape], np.int64)
    return batch_to_space_nd(input, block_shape, crops, name)


@batch_to_space_nd.shape
def batch_to_space_nd_shape(input: Static, block_shape: Static, crops: Static) -> Dims:
    if input.shape is None:
        return None
    if block_shape.value is None or crops.value is None:
        return (None,) * len(input.shape)
    blocks, margins = _known_blocks(input.shape, block_shape, crops, "crops")
    batch = input.shape[0]
    for b in blocks:
        batch = divided(batch, b)
    middle = [
        lessened(lessened(None if d is None else d * b, before), after)
        for d, b, (before, after) in zip(input.shape[1:], blocks, margins, strict=False)
    ]
    return (batch, *middle, *input.shape[1 + len(middle) :])


@batch_to_space_nd.kernel
def batch_to_space_nd_kernel(
    input: Any, block_shape: np.ndarray[Any, Any], crops: np.ndarray[Any, Any]
) -> Any:
    sizes, pairs = _check_blocks(input, block_shape, crops, "crops")
    m, shape = len(sizes), tuple(input.shape)
    count = product(sizes)
    if shape[0] % count:
        raise invalid(
            f"Input batch dimension ({shape[0]}) is not divisible by product of block sizes "
            f"({count})"
        )
    split = input.reshape([*sizes, shape[0] // count, *shape[1:]])
    order = [m]
    for index in range(m):
        order += [m + 1 + index, index]
    order += list(range(2 * m + 1, len(split.shape)))
    middle = [shape[1 + i] * size for i, size in enumerate(sizes)]
    whole = _permuted(split, order).reshape([shape[0] // count, *middle, *shape[1 + m :]])
    kept = [slice(None)]
    for d, (before, after) in zip(middle, pairs, strict=True):
        if before + after > d:
            raise invalid(
                f"cropped_shape[{len(kept) - 1}]={d - before - after} must be non-negative"
            )
        kept.append(slice(before, d - after))
    return whole[tuple(kept)]


@batch_to_space_nd.gradient
def batch_to_space_nd_gradient(call: Call, dy: Tensor) -> Any:
    return space_to_batch_nd(dy, call.inputs[1], call.inputs[2]), None, None


def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return paddings that make `input_shape` divisible into blocks, and crops that undo them."""
    shape, block = convert_to_tensor(input_shape), convert_to_tensor(block_shape)
    if not isinstance(shape, EagerTensor) or not isinstance(block, EagerTensor):
        return _symbolic_paddings(shape, block, base_paddings)
    sizes, blocks = shape.numpy().astype(np.int32), block.numpy().astype(np.int32)
    if blocks.ndim != 1:
        raise ValueError(f"Shape {blocks.shape} must have rank 1")
    _check_shape(sizes, (len(blocks),))
    base = np.zeros((len(blocks), 2), np.int32)
    if base_paddings is not None:
        base = np.asarray(base_paddings, np.int32)
        _check_shape(base, (len(blocks), 2))
    more = -(sizes + base.sum(1)) % blocks
    margins = np.stack([base[:, 0], base[:, 1] + more], 1)
    crops = np.stack([np.zeros_like(more), more], 1)
    return convert_to_tensor(margins.astype(np.int32)), convert_to_tensor(crops.astype(np.int32))


def _check_shape(array: np.ndarray[Any, Any], wanted: tuple[int, ...]) -> None:
    if array.shape != wanted:
        raise ValueError(f"Shapes {array.shape} and {list(wanted)} are incompatible")


def _symbolic_paddings(shape: Any, block: Any, base_paddings: Any) -> tuple[Any, Any]:
    first = zeros_like(block) if base_paddings is None else convert_to_tensor(base_paddings)[:, 0]
    last = zeros_like(block) if base_paddings is None else convert_to_tensor(base_paddings)[:, 1]
    whole = shape + first + last
    more = (block - whole % block) % block
    return stack([first, last + more], axis=1), stack([zeros_like(more), more], axis=1)
