"""Dilated windows through plain ones: the image is dealt out to the batch, and gathered again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.ops.array.blocks import (
    batch_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
)
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor, host_constant


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:
    """Return what `op(x, number of spatial dimensions, padding)` gives with dilated windows.

    `op` sees each of the interleaved smaller images as one of the batch, always with 'VALID'.
    """
    x = convert_to_tensor(input)
    rates = _numbers(dilation_rate)
    if rates.ndim != 1:
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={dilation_rate} of "
            f"rank {rates.ndim}"
        )
    count = len(rates)
    if (rates < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    first = data_format is not None and data_format.startswith("NC")
    if spatial_dims is None:
        dims = list(range(2, count + 2) if first else range(1, count + 1))
    else:
        dims = sorted({int(each) for each in spatial_dims})
        if dims != list(spatial_dims) or any(each < 1 for each in dims):
            raise ValueError(
                "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
                f"Received: spatial_dims={list(spatial_dims)}"
            )
    needed = dims[-1] + (0 if first else 1)
    if x._shape_tuple is not None and len(x._shape_tuple) < needed:
        raise ValueError(
            f"`input.shape.rank` must be at least {needed}. Received: "
            f"input.shape={x.shape} with rank {len(x._shape_tuple)}"
        )
    base = _base_paddings(padding, filter_shape, rates)
    if (rates == 1).all():
        return op(x, count, padding)
    static = x._shape_tuple
    if static is not None and all(static[each] is not None for each in dims):
        sizes: Any = np.asarray([static[each] for each in dims], np.int32)
    else:
        sizes = gather(shape_of(x), dims)
    paddings, crops = required_space_to_batch_paddings(sizes, rates, base_paddings=base)
    blocks, paddings, crops = (
        _adjusted(rates, 1, dims),
        _adjusted(paddings, 0, dims),
        _adjusted(crops, 0, dims),
    )
    result = op(space_to_batch(x, blocks, paddings), count, "VALID")
    return batch_to_space(result, blocks, crops)


def _numbers(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(host_constant(value, None), np.int32)


def _base_paddings(padding: Any, filter_shape: Any, rates: np.ndarray[Any, Any]) -> Any:
    """Return what SAME, VALID or explicit paddings add before any adding for the dealing out."""
    if padding == "VALID":
        return np.zeros((len(rates), 2), np.int32)
    if isinstance(padding, (list, tuple)):
        return np.asarray(padding[1:-1], np.int32).reshape(len(rates), 2)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. "
            f"Received: filter_shape={filter_shape} and padding={padding}"
        )
    extra = rates * (_numbers(filter_shape)[: len(rates)] - 1)
    return np.stack([extra // 2, extra - extra // 2], 1).astype(np.int32)


def _adjusted(values: Any, fill: int, dims: list[int]) -> Any:
    """Return one row per dimension up to the last of `dims`, with `fill` for those not in it."""
    if len(dims) == dims[-1]:
        return values
    rows = dict(zip(dims, values, strict=True))
    like = values[0]
    blank = np.full(np.shape(like), fill, np.int32)
    return np.stack([np.asarray(rows.get(each, blank)) for each in range(1, dims[-1] + 1)])
