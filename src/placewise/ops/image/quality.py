"""How alike two images are: PSNR, SSIM and its multi-scale form."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import float32
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import reshape, shape_of, sizes_of
from placewise.ops.array.tile import tile
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import Assert
from placewise.ops.image.conversion import convert_image_dtype
from placewise.ops.math.arithmetic import pow, square, squared_difference
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, greater_equal
from placewise.ops.math.exponential import log
from placewise.ops.math.reduction import reduce_all, reduce_mean, reduce_prod
from placewise.ops.nn.activations import relu
from placewise.ops.nn.depthwise import depthwise_conv2d
from placewise.ops.nn.pooling import avg_pool2d


def _check_alike(first: Any, second: Any) -> None:
    one = first.shape.with_rank_at_least(3)
    two = second.shape.with_rank_at_least(3)
    one[-3:].assert_is_compatible_with(two[-3:])
    if one.rank is None or two.rank is None:
        return
    heads = zip(reversed(one.as_list()[:-3]), reversed(two.as_list()[:-3]), strict=False)
    for a, b in heads:
        if a != 1 and b != 1 and None not in (a, b) and a != b:
            raise ValueError(f"Two images are not compatible: {one} and {two}")
    if not (one.is_fully_defined() and two.is_fully_defined()):
        sizes = [convert_to_tensor(shape_of(each)) for each in (first, second)]
        Assert(reduce_all(equal(sizes[0][-3:], sizes[1][-3:])), sizes, summarize=10)


def _in_floats(first: Any, second: Any, max_val: Any) -> tuple[Any, Any, Any]:
    top = convert_image_dtype(cast(max_val, first.dtype), float32)
    return convert_image_dtype(first, float32), convert_image_dtype(second, float32), top


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Return the peak signal-to-noise ratio of two images in decibels, for each of a batch."""
    a, b, top = _in_floats(convert_to_tensor(a), convert_to_tensor(b), max_val)
    error = reduce_mean(squared_difference(a, b), [-3, -2, -1])
    _check_alike(a, b)
    ten = convert_to_tensor(np.float32(10 / np.log(10)))
    return 20 * log(top) / log(convert_to_tensor(10.0)) - ten * log(error)


def _gaussian(size: int, sigma: float) -> np.ndarray[Any, Any]:
    """Return a square window of weights that fall off from the middle and sum to one."""
    place = np.arange(size, dtype=np.float32) - np.float32(size - 1) / np.float32(2)
    bell = np.square(place) * (np.float32(-0.5) / np.square(np.float32(sigma)))
    weights = np.exp(bell[None, :] + bell[:, None])
    window: np.ndarray[Any, Any] = (weights / weights.sum()).astype(np.float32)[:, :, None, None]
    return window


def _per_channel(
    first: Any,
    second: Any,
    top: Any,
    filter_size: Any,
    filter_sigma: Any,
    k1: float,
    k2: float,
    wants_map: bool = False,
) -> tuple[Any, Any]:
    """Return SSIM and its contrast part, for each channel."""
    size = convert_to_tensor(int(filter_size))
    for image in (first, second):
        sizes = convert_to_tensor(shape_of(image))
        Assert(reduce_all(greater_equal(sizes[-3:-1], size)), [sizes, size], summarize=8)
    window = convert_to_tensor(_gaussian(int(filter_size), float(filter_sigma)))
    kernel = tile(window, [1, 1, convert_to_tensor(shape_of(first))[-1], 1])

    def averaged(x: Any) -> Any:
        sizes = convert_to_tensor(shape_of(x))
        flat = reshape(x, concat([[-1], sizes[-3:]], 0))
        y = depthwise_conv2d(flat, kernel, strides=[1, 1, 1, 1], padding="VALID")
        return reshape(y, concat([sizes[:-3], convert_to_tensor(shape_of(y))[1:]], 0))

    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    mean1, mean2 = averaged(first), averaged(second)
    both = mean1 * mean2 * 2.0
    squares = square(mean1) + square(mean2)
    luminance = (both + c1) / (squares + c1)
    together = averaged(first * second) * 2.0
    apart = averaged(square(first) + square(second))
    contrast = (together - both + c2) / (apart - squares + c2)
    if wants_map:
        return luminance * contrast, contrast
    return reduce_mean(luminance * contrast, [-3, -2]), reduce_mean(contrast, [-3, -2])


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Any:
    """Return the structural similarity of two images, for each of a batch; 1 if they are equal."""
    img1, img2 = convert_to_tensor(img1), convert_to_tensor(img2)
    _check_alike(img1, img2)
    img1, img2, top = _in_floats(img1, img2, max_val)
    found, _ = _per_channel(img1, img2, top, filter_size, filter_sigma, k1, k2, return_index_map)
    return reduce_mean(found, [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """Return the structural similarity of two images over several scales, each half the last."""
    img1, img2 = convert_to_tensor(img1), convert_to_tensor(img2)
    _check_alike(img1, img2)
    one, two, top = _in_floats(img1, img2, max_val)
    parts = []
    similarity = None
    for scale in range(len(power_factors)):
        if scale:
            one, two = _halved(one), _halved(two)
        similarity, contrast = _per_channel(one, two, top, filter_size, filter_sigma, k1, k2)
        parts.append(relu(contrast))
    parts[-1] = relu(similarity)
    powers = convert_to_tensor(power_factors, float32)
    return reduce_mean(reduce_prod(pow(stack(parts, axis=-1), powers), [-1]), [-1])


def _halved(image: Any) -> Any:
    sizes = sizes_of(image)
    flat = reshape(image, [-1, *sizes[-3:]])
    odd = [size % 2 for size in sizes[-3:-1]]
    if any(isinstance(each, Tensor) or each for each in odd):
        flat = pad(flat, [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]], mode="SYMMETRIC")
    half = avg_pool2d(flat, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    heads = convert_to_tensor(shape_of(image))[:-3]
    return reshape(half, concat([heads, convert_to_tensor(shape_of(half))[1:]], 0))
