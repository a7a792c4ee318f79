"""Into how many pieces a variable is cut."""

from __future__ import annotations

import math
from typing import Any

from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape


class Partitioner:
    """Says, for a shape and a dtype, into how many pieces each axis is cut: only the first is."""

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the numbers of pieces, by axis."""
        raise NotImplementedError


class FixedShardsPartitioner(Partitioner):
    """A fixed number of pieces, or one a row where there are fewer rows."""

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the numbers of pieces, by axis."""
        return _along(shape, axis, min(self._num_shards, _size(shape, axis)))


class MinSizePartitioner(Partitioner):
    """As many pieces as possible of at least so many bytes."""

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _positive("min_shard_bytes", min_shard_bytes)
        _positive("max_shards", max_shards)
        _positive("bytes_per_string", bytes_per_string)
        self._min_bytes, self._max_shards = min_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the numbers of pieces, by axis."""
        total = _bytes(shape, dtype, self._bytes_per_string)
        count = min(self._max_shards, total // self._min_bytes, _size(shape, axis))
        return _along(shape, axis, max(1, count))


class MaxSizePartitioner(Partitioner):
    """As few pieces as possible of at most so many bytes."""

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        if max_shard_bytes < 1:
            raise ValueError(
                f"Argument `max_shard_bytes` must be positive. Received {max_shard_bytes}"
            )
        if max_shards and max_shards < 1:
            raise ValueError(f"Argument `max_shards` must be positive. Received {max_shards}")
        if bytes_per_string < 1:
            raise ValueError(
                f"Argument `bytes_per_string` must be positive. Received: {bytes_per_string}"
            )
        self._max_bytes, self._max_shards = max_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the numbers of pieces, by axis."""
        rows = _size(shape, axis)
        row_bytes = _bytes(shape, dtype, self._bytes_per_string) / rows
        rows_each = max(1, math.floor(self._max_bytes / row_bytes))
        count = math.ceil(rows / rows_each)
        return _along(shape, axis, min(count, self._max_shards) if self._max_shards else count)


def _positive(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"Argument `{name}` must be positive. Received: {value}")


def _size(shape: TensorShape, axis: int) -> int:
    return int(list(shape)[axis])


def _bytes(shape: TensorShape, dtype: DType, bytes_per_string: int) -> int:
    from placewise.core.dtypes import as_dtype, string  # noqa: PLC0415 - keeps torch out

    dtype = as_dtype(dtype)
    each = bytes_per_string if dtype == string else dtype.size
    return math.prod(int(size) for size in shape) * each


def _along(shape: TensorShape, axis: int, count: int) -> list[int]:
    found = [1] * len(list(shape))
    found[axis] = count
    return found


for _kind in (Partitioner, FixedShardsPartitioner, MinSizePartitioner, MaxSizePartitioner):
    _kind.__module__ = "tensorflow.python.distribute.sharded_variable"
