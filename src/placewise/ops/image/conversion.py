"""Images from one dtype to another: integers span their range, floats span [0, 1]."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import as_dtype, float16, float32
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor, number
from placewise.ops.math.arithmetic import multiply
from placewise.ops.math.cast import cast, saturate_cast
from placewise.ops.math.division import floordiv
from placewise.ops.name_scopes import in_scope


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Any:
    """Return an image in another dtype, scaled so that full white stays full white.

    `image`: pixels. Floats have the range [0, 1], integers that of their dtype.
    `dtype`: the dtype of the result.
    `saturate`: cut off what does not fit instead of letting it wrap around.

    Raises AttributeError for a dtype that is neither integer nor floating point.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    image = convert_to_tensor(image)
    dtype = as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    source = image.dtype
    if not source.is_floating and not source.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype is source:
        return identity(image, name=name)
    with in_scope(name, "convert_image") as scope:
        return _scaled(image, dtype, saturate, scope)


def _scaled(image: Any, dtype: Any, saturate: bool, name: str | None) -> Any:
    source = image.dtype
    to = saturate_cast if saturate else cast
    if source.is_integer and dtype.is_integer:
        top, new_top = int(source.max), int(dtype.max)
        if top > new_top:
            shrunk = floordiv(image, number((top + 1) // (new_top + 1), source))
            return to(shrunk, dtype, name=name)
        return multiply(to(image, dtype), number((new_top + 1) // (top + 1), dtype), name)
    if source.is_floating and dtype.is_floating:
        return cast(image, dtype, name=name)
    if source.is_integer:
        return multiply(cast(image, dtype), number(1.0 / int(source.max), dtype), name)
    return to(multiply(image, number(int(dtype.max) + 0.5, source)), dtype, name=name)


def in_floats(image: Any) -> tuple[Any, Any]:
    """Return an image in a dtype that colour ops compute in, and the dtype it had."""
    image = convert_to_tensor(image)
    dtype = image.dtype
    if dtype is float16 or dtype is float32:
        return image, dtype
    return convert_image_dtype(image, float32), dtype
