"""The initializers of TensorFlow 1: what a variable begins with, from shape and dtype."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike
from placewise.core.dtypes import as_dtype
from placewise.graph.constants import constant, ones, zeros
from placewise.graph.random_values import random_normal, random_uniform, truncated_normal
from placewise.ops.array.creation import eye
from placewise.ops.array.shape import reshape
from placewise.ops.linalg.diagonal import tensor_diag_part
from placewise.ops.linalg.factor import qr
from placewise.ops.linalg.transpose import matrix_transpose
from placewise.ops.math.arithmetic import sign

# The deviation of a normal distribution cut off at two, which scaling has to make up for.
_TRUNCATED_DEVIATION = 0.87962566103423978


class Initializer:
    """Makes the first value of a variable from its shape and dtype."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return a tensor of that shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make another one like this."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return an initializer made from what `get_config` returned."""
        return cls(**config)


def _floating(dtype: DTypeLike) -> Any:
    result = as_dtype(dtype)
    if not result.is_floating:
        raise ValueError(f"Expected floating point type, got {result!s}.")
    return result


class Zeros(Initializer):
    """Makes tensors of zeros.

    `dtype`: the dtype of the tensors if a call names none.

    Call it with a shape, or hand it to `get_variable`.

    >>> tf.compat.v1.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return zeros."""
        return zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the dtype."""
        return {"dtype": self.dtype.name}


class Ones(Zeros):
    """Makes tensors of ones."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return ones."""
        return ones(shape, self.dtype if dtype is None else dtype)


class Constant(Initializer):
    """Makes tensors of a given value.

    `value`: a number, a list or an array. Elements that are missing at the end repeat the last one.
    `dtype`: the dtype of the tensors if a call names none.
    `verify_shape`: raise TypeError instead if `value` has another shape.

    Call it with a shape, or hand it to `get_variable`. Raises TypeError if `value` is no number or
    list of numbers.

    >>> tf.compat.v1.constant_initializer(0.1)([2]).numpy()
    array([0.1, 0.1], dtype=float32)
    """

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value)} (expected Python scalar, list or "
                "tuple of values, or numpy.ndarray)."
            )
        self.value, self.dtype, self._verify_shape = value, as_dtype(dtype), verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Any:
        """Return the value in that shape."""
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant(
            self.value, self.dtype if dtype is None else dtype, shape, verify_shape=verify
        )

    def get_config(self) -> dict[str, Any]:
        """Return value and dtype."""
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Makes tensors of uniform samples between two bounds."""

    def __init__(
        self, minval: Any = 0, maxval: Any = None, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return samples."""
        kind = self.dtype if dtype is None else dtype
        return random_uniform(shape, self.minval, self.maxval, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Return bounds, seed and dtype."""
        return {
            "minval": self.minval,
            "maxval": self.maxval,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class RandomNormal(Initializer):
    """Makes tensors of random numbers of the normal distribution.

    `mean`, `stddev`: of the distribution.
    `seed`: with it the same numbers are drawn in every run.
    `dtype`: the dtype of the tensors if a call names none; ValueError if it is no float.

    Call it with a shape, or hand it to `get_variable`.

    >>> tf.compat.v1.random_normal_initializer(stddev=0.1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _draw = staticmethod(random_normal)

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return samples."""
        kind = self.dtype if dtype is None else dtype
        return self._draw(shape, self.mean, self.stddev, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Return mean, deviation, seed and dtype."""
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class TruncatedNormal(RandomNormal):
    """Makes tensors of random numbers of the normal distribution within two deviations of its mean.

    `mean`, `stddev`: of the distribution.
    `seed`: with it the same numbers are drawn in every run.
    `dtype`: the dtype of the tensors if a call names none; ValueError if it is no float.

    Call it with a shape, or hand it to `get_variable`.

    >>> tf.compat.v1.truncated_normal_initializer(stddev=0.1)([2, 3]).shape
    TensorShape([2, 3])
    """

    _draw = staticmethod(truncated_normal)


class UniformUnitScaling(Initializer):
    """Makes tensors of uniform samples that keep the scale of what goes through them."""

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return samples."""
        size = 1.0
        for dim_size in list(shape)[:-1]:
            size *= float(dim_size)
        most = math.sqrt(3 / max(size, 1.0)) * self.factor
        kind = self.dtype if dtype is None else dtype
        return random_uniform(shape, -most, most, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Return factor, seed and dtype."""
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


# What `VarianceScaling` may be made with.
_CHOICES = {
    "mode": ("fan_in", "fan_out", "fan_avg"),
    "distribution": ("normal", "uniform", "truncated_normal", "untruncated_normal"),
}


class VarianceScaling(Initializer):
    """Makes tensors of samples whose variance fits the number of inputs, outputs or both."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        self.scale, self.mode, self.distribution = scale, mode, distribution.lower()
        self.seed, self.dtype = seed, _floating(dtype)
        if not scale > 0.0:
            raise ValueError("`scale` must be positive float.")
        for name, values in _CHOICES.items():
            if getattr(self, name) not in values:
                raise ValueError(f"Invalid `{name}` argument:", getattr(self, name))

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return samples."""
        kind = self.dtype if dtype is None else dtype
        into, out = _fans([int(item) for item in shape])
        size = {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, size)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return random_uniform(shape, -limit, limit, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(scale), kind, seed=self.seed)
        stddev = math.sqrt(scale) / _TRUNCATED_DEVIATION
        return truncated_normal(shape, 0.0, stddev, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Return scale, mode, distribution, seed and dtype."""
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


def _fans(shape: list[int]) -> tuple[float, float]:
    """Return how many inputs and outputs each unit of a weight has."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class GlorotUniform(VarianceScaling):
    """Uniform samples by Glorot and Bengio: the default of `tf.get_variable`."""

    def __init__(self, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """Return seed and dtype."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Truncated normal samples by Glorot and Bengio."""

    def __init__(self, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """Return seed and dtype."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class Orthogonal(Initializer):
    """Makes random matrices with orthogonal rows or columns, in any shape of two or more."""

    def __init__(self, gain: float = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return the orthogonal factor of a random matrix, with signs that make it uniform."""
        dims = [int(item) for item in shape]
        if len(dims) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = math.prod(dims[:-1]), dims[-1]
        wide = rows < columns
        flat = (columns, rows) if wide else (rows, columns)
        drawn = random_normal(flat, dtype=self.dtype if dtype is None else dtype, seed=self.seed)
        q, r = qr(drawn, full_matrices=False)
        q = q * sign(tensor_diag_part(r))
        if wide:
            q = matrix_transpose(q)
        return self.gain * reshape(q, dims)

    def get_config(self) -> dict[str, Any]:
        """Return gain, seed and dtype."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """Makes identity matrices, times a gain."""

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain, self.dtype = gain, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return an identity matrix."""
        if len(shape) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        kind = self.dtype if dtype is None else dtype
        return self.gain * eye(int(shape[0]), int(shape[1]), dtype=kind)

    def get_config(self) -> dict[str, Any]:
        """Return gain and dtype."""
        return {"gain": self.gain, "dtype": self.dtype.name}


def he_normal(seed: Any = None) -> VarianceScaling:
    """Return the initializer of He and others with truncated normal samples."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> VarianceScaling:
    """Return the initializer of He and others with uniform samples."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Any = None) -> VarianceScaling:
    """Return LeCun's initializer with truncated normal samples."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> VarianceScaling:
    """Return LeCun's initializer with uniform samples."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


for _kind in (
    Initializer,
    Zeros,
    Ones,
    Constant,
    RandomUniform,
    RandomNormal,
    TruncatedNormal,
    UniformUnitScaling,
    VarianceScaling,
    GlorotUniform,
    GlorotNormal,
    Orthogonal,
    Identity,
):
    _kind.__module__ = "tensorflow.python.ops.init_ops"
