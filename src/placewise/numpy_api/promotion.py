"""Dtypes as NumPy promotes them, and what becomes an array."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

import placewise as tf
from placewise.core import nest
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.runtime import State, runtime

_MOST_DIMENSIONS = 32  # of NumPy's arrays when TensorFlow's were written


class Preference(State):
    """What `experimental_enable_numpy_behavior` was told about new arrays."""

    float32: bool = False


PREFERENCE = runtime.state(Preference)
DEFAULT_FLOAT = tf.float64  # of integers as real numbers, whatever is preferred for floats


def _as_numpy_word(value: Any) -> Any:
    if isinstance(value, numbers.Number):
        if PREFERENCE.float32 and isinstance(value, (float, complex)):  # np.float64 is a float, too
            return np.float32(value) if isinstance(value, float) else np.complex64(value)
        return value
    if isinstance(value, (tf.Tensor, tf.Variable, tf.IndexedSlices)):
        return np.dtype(tf.as_dtype(value.dtype).base_dtype.as_numpy_dtype)
    if isinstance(value, tf.DType):
        return np.dtype(value.as_numpy_dtype)
    return value


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that arrays, numbers and dtypes are brought to together."""
    return tf.as_dtype(numpy_result_type(*arrays_and_dtypes))


def numpy_result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the NumPy dtype that arrays, numbers and dtypes are brought to together."""
    found = [_as_numpy_word(each) for each in nest.flatten(arrays_and_dtypes)]
    return np.result_type(*(found or [np.asarray([])]))


def promote_types(type1: type[Any], type2: type[Any]) -> Any:
    """Return the smallest dtype that holds values of both."""
    return np.promote_types(_as_numpy_word(type1), _as_numpy_word(type2))


def finfo(dtype: DTypeLike) -> Any:
    """Return the limits of a kind of real numbers, as NumPy tells them."""
    return np.finfo(_as_numpy_word(dtype))


def array(
    val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0
) -> Any:
    """Return `val` as a tensor, of NumPy's dtype for it, with at least `ndmin` dimensions."""
    made = asarray(val, dtype)
    if copy:
        made = tf.identity(made)
    if ndmin > _MOST_DIMENSIONS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions: {_MOST_DIMENSIONS}.")
    if ndmin and made.shape.rank is not None and made.shape.rank < ndmin:
        made = tf.reshape(made, tf.concat([[1] * (ndmin - made.shape.rank), tf.shape(made)], 0))
    return made


def asarray(a: Any, dtype: Any = None) -> Any:
    """Return `a` as a tensor: itself if it is one of that dtype."""
    wanted = None if dtype is None else tf.as_dtype(np.dtype(_as_numpy_word(dtype)))
    if isinstance(a, tf.Variable):
        a = tf.convert_to_tensor(a)
    if isinstance(a, tf.Tensor):
        return a if wanted is None or a.dtype == wanted else tf.cast(a, wanted)
    if wanted is None:
        parts = nest.flatten(a)
        if any(isinstance(each, tf.Tensor) for each in parts):
            wanted = result_type(*parts)
            return tf.convert_to_tensor(
                nest.map_structure(lambda each: asarray(each, wanted), a), wanted
            )
        plain = np.asarray(a)
        if PREFERENCE.float32 and plain.dtype.kind in "fc":
            plain = plain.astype(numpy_result_type(*parts))
        return tf.convert_to_tensor(plain)
    if isinstance(a, (list, tuple)) and any(isinstance(e, tf.Tensor) for e in nest.flatten(a)):
        return tf.cast(tf.convert_to_tensor(nest.map_structure(asarray, a)), wanted)
    return tf.cast(tf.convert_to_tensor(np.asarray(a)), wanted)


def inexact(a: TensorLike) -> Any:
    """Return `a` as an array of floats or complex numbers."""
    made = asarray(a)
    if made.dtype.is_floating or made.dtype.is_complex:
        return made
    return tf.cast(made, DEFAULT_FLOAT)


def together(*values: Any, floats: bool = False) -> list[Any]:
    """Return values as arrays of the one dtype NumPy would compute with."""
    # Numbers in lists give way to arrays, as numbers alone do.
    common = numpy_result_type(*values)
    if floats and not np.issubdtype(common, np.inexact) and common != tf.bfloat16.as_numpy_dtype:
        common = DEFAULT_FLOAT.as_numpy_dtype
    return [asarray(value, common) for value in values]
