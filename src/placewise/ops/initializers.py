"""The values variables start with: `tf.zeros_initializer` and its like."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import DType, as_dtype

_PARTITION = ["partition_shape", "partition_offset"]


class Initializer:
    """Makes the first value of a variable from its shape and dtype."""

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Return a tensor of that shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make another one like this."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return an initializer made from what `get_config` returned."""
        config.pop("dtype", None)
        return cls(**config)

    def _shape(self, shape: Any, given: dict[str, Any], can_part: bool = True) -> Any:
        """Return the shape to fill: of a part, where one is asked for."""
        for key in given:
            if key not in _PARTITION:
                raise TypeError(f"Keyword argument should be one of {_PARTITION}. Received: {key}")
            if not can_part:
                raise ValueError(
                    f"{type(self).__name__} initializer doesn't support partition-related arguments"
                )
        return given.get("partition_shape", shape)


def _plain(dtype: Any, fits: bool) -> DType:
    if not fits:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype!s}.")
    return as_dtype(dtype)


class Zeros(Initializer):
    """Makes tensors of zeros."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        """Return zeros."""
        from placewise.ops.array.creation import zeros  # noqa: PLC0415 - keeps torch out

        shape, dtype = self._shape(shape, kwargs), as_dtype(dtype)
        fits = dtype.is_numpy_compatible and dtype is not dtypes.string
        return zeros(shape, _plain(dtype, fits))


class Ones(Initializer):
    """Makes tensors of ones."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        """Return ones."""
        from placewise.ops.array.creation import ones  # noqa: PLC0415 - keeps torch out

        shape, dtype = self._shape(shape, kwargs), as_dtype(dtype)
        fits = dtype.is_numpy_compatible and dtype is not dtypes.string
        return ones(shape, _plain(dtype, fits))


class Constant(Initializer):
    """Makes tensors of a given value: one number for all, or as many as there are elements."""

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Return the value in that shape."""
        from placewise.ops.array.creation import constant  # noqa: PLC0415 - keeps torch out

        self._shape(shape, kwargs, self.support_partition)
        return constant(self.value, None if dtype is None else as_dtype(dtype), shape)

    def get_config(self) -> dict[str, Any]:
        """Return the value."""
        return {"value": self.value}


class RandomUniform(Initializer):
    """Makes tensors of uniform samples between two bounds; the same ones each time, if seeded."""

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        """Return samples."""
        shape, dtype = self._shape(shape, kwargs), as_dtype(dtype)
        _plain(dtype, dtype.is_floating or dtype.is_integer)
        if self.seed is None:
            from placewise.ops.random.uniform import uniform  # noqa: PLC0415 - keeps torch out

            return uniform(shape, self.minval, self.maxval, dtype)
        from placewise.ops.random.stateless import stateless_uniform  # noqa: PLC0415 - keeps torch out

        return stateless_uniform(
            shape, [self.seed, 0], minval=self.minval, maxval=self.maxval, dtype=dtype
        )

    def get_config(self) -> dict[str, Any]:
        """Return bounds and seed."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class RandomNormal(Initializer):
    """Makes tensors of normal samples; the same ones each time, if seeded."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        """Return samples."""
        shape, dtype = self._shape(shape, kwargs), as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(
                f"Argument `dtype` is expected to be floating point. Received: {dtype!s}."
            )
        if self.seed is None:
            from placewise.ops.random.normal import normal  # noqa: PLC0415 - keeps torch out

            return normal(shape, self.mean, self.stddev, dtype)
        from placewise.ops.random.stateless import stateless_normal  # noqa: PLC0415 - keeps torch out

        return stateless_normal(
            shape, [self.seed, 0], mean=self.mean, stddev=self.stddev, dtype=dtype
        )

    def get_config(self) -> dict[str, Any]:
        """Return mean, deviation and seed."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


for _kind in (Initializer, Zeros, Ones, Constant, RandomUniform, RandomNormal):
    _kind.__module__ = "tensorflow.python.ops.init_ops_v2"
