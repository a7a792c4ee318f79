"""Images changed by chance: brightness, contrast, hue, saturation, JPEG quality, crops.

The `stateless_` ones draw from a seed of two integers, the others from seeded streams, by the same
ops in the same order as TensorFlow, so that equal seeds give equal pictures.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import int32
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.ops.array.indexing import slice
from placewise.ops.array.shape import shape, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import Assert
from placewise.ops.image.adjustments import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_jpeg_quality,
    adjust_saturation,
)
from placewise.ops.math.comparison import greater_equal
from placewise.ops.math.reduction import reduce_all
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.random.stateless import stateless_uniform
from placewise.ops.random.uniform import uniform


def drawing(seed: int | None) -> Any:
    """Return the function that draws from the streams of an op seed."""
    draw = current.interpreter.tf1_nodes.random_uniform if is_tf1_graph() else uniform
    return functools.partial(draw, seed=seed)


def drawing_stateless(seed: list[Any]) -> Any:
    """Return the function that draws from a seed of two integers."""
    return functools.partial(stateless_uniform, seed=seed)


def _brightness(image: Tensor, max_delta: float, draw: Callable[..., Any]) -> Any:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, draw(shape=[], minval=-max_delta, maxval=max_delta))


def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Any:
    """Return an image with an amount between -max_delta and max_delta added."""
    return _brightness(image, max_delta, drawing(seed))


def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Any:
    """Return an image with an amount between -max_delta and max_delta added, fixed by `seed`."""
    return _brightness(image, max_delta, drawing_stateless(seed))


def _factor(lower: float, upper: float, draw: Callable[..., Any]) -> Any:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return draw(shape=[], minval=lower, maxval=upper)


def random_contrast(image: TensorLike, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Return an image with its contrast multiplied by a factor between `lower` and `upper`."""
    return adjust_contrast(image, _factor(lower, upper, drawing(seed)))


def stateless_random_contrast(image: TensorLike, lower: Any, upper: Any, seed: Any) -> Any:
    """Return an image with its contrast multiplied by a factor that `seed` fixes."""
    return adjust_contrast(image, _factor(lower, upper, drawing_stateless(seed)))


def random_saturation(image: TensorLike, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Return an image with its saturation multiplied by a factor between `lower` and `upper`."""
    return adjust_saturation(image, _factor(lower, upper, drawing(seed)))


def stateless_random_saturation(image: TensorLike, lower: Any, upper: Any, seed: Any = None) -> Any:
    """Return an image with its saturation multiplied by a factor that `seed` fixes."""
    return adjust_saturation(image, _factor(lower, upper, drawing_stateless(seed)))


def _hue(image: Tensor, max_delta: float, draw: Callable[..., Any]) -> Any:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, draw(shape=[], minval=-max_delta, maxval=max_delta))


def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Any:
    """Return an image with its hues turned by -max_delta to max_delta."""
    return _hue(image, max_delta, drawing(seed))


def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Any:
    """Return an image with its hues turned by an amount that `seed` fixes."""
    return _hue(image, max_delta, drawing_stateless(seed))


def _jpeg_quality(image: Tensor, least: int, most: int, draw: Callable[..., Any]) -> Any:
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = draw(shape=[], minval=least, maxval=most, dtype=int32)
    return adjust_jpeg_quality(image, quality)


def random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None
) -> Any:
    """Return an image with the losses of JPEG at a quality drawn from a range."""
    return _jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, drawing(seed))


def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any
) -> Any:
    """Return an image with the losses of JPEG at a quality that `seed` fixes."""
    return _jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, drawing_stateless(seed))


def _crop(value: Tensor, size: Any, draw: Any, name: str | None) -> Any:
    value = convert_to_tensor(value)
    size = convert_to_tensor(size, int32)
    whole = convert_to_tensor(shape_of(value))
    fits = reduce_all(greater_equal(whole, size))
    Assert(fits, ["Need value.shape >= size, got ", whole, size], summarize=1000)
    limit = whole - size + 1
    offset = draw(shape=shape(whole), minval=0, maxval=size.dtype.max, dtype=size.dtype) % limit
    return slice(value, offset, size, name=name)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """Return a part of `value` of the given size, from a random place."""
    return _crop(value, size, drawing(seed), name)


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Return a part of `value` of the given size, from a place that `seed` fixes."""
    return _crop(value, size, drawing_stateless(seed), name)
