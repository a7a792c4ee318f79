"""The state of a table of buckets, laid out as TensorFlow lays it out.

What such a table exports, and a checkpoint of it holds, are all its buckets, empty ones too. A
reader takes them over as they are, so that each key must stand where its hash leads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.ops.families import bracketed
from placewise.ops.lookup.tables import Table
from placewise.ops.strings.fingerprints import murmur64

_WORD = (1 << 64) - 1


class DenseTable(Table):
    """Keys (scalars or vectors) and values in buckets, with two keys that must not be used."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        value_shape: tuple[int, ...],
        empty: Any,
        deleted: Any,
        buckets: int,
        load: float,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_shape)
        if tuple(empty.shape) != tuple(deleted.shape):
            raise invalid(
                "Empty and deleted keys must have same shape, got shapes: "
                f"{bracketed(empty.shape)} and {bracketed(deleted.shape)}"
            )
        if len(value_shape) > 1:
            raise invalid(
                f"Empty value must be a scalar or a vector, got shape {bracketed(value_shape)}"
            )
        if buckets < 4 or buckets & (buckets - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")
        if not 0 < load < 1:
            raise invalid(f"max_load_factor must be between 0 and 1, got: {load:g}")
        self.key_shape = tuple(empty.shape)
        self._empty, self._buckets, self._load = empty, buckets, load
        first, second = (self._keys_of(each)[0][0] for each in (empty, deleted))
        if first == second:
            raise invalid("Empty and deleted keys cannot be equal")
        self.forbidden = {first: "empty_key", second: "deleted_key"}

    def _keys_of(self, keys: np.ndarray[Any, Any]) -> tuple[list[Any], tuple[int, ...]]:
        if not self.key_shape:
            return super()._keys_of(keys)
        depth = len(self.key_shape)
        outer = tuple(keys.shape[: max(0, keys.ndim - depth)])
        if tuple(keys.shape) != (*outer, *self.key_shape):
            raise invalid(
                f"Input key shape {bracketed(keys.shape)} must end with the table's key shape "
                f"{bracketed(self.key_shape)}"
            )
        rows = keys.reshape(math.prod(outer), math.prod(self.key_shape))
        return [tuple(row) for row in rows.tolist()], outer

    def insert(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
        """Put values for keys; where they could fill too many buckets, there are twice as many."""
        self._grow(len(self) + len(self._keys_of(keys)[0]))
        super().insert(keys, values)

    def _grow(self, entries: int) -> None:
        if entries <= self._buckets * self._load:
            return
        with self._lock:
            # The keys go into the new buckets in the order of the old ones.
            places = self._places()
            self._rows = {key: self._rows[key] for key in sorted(places, key=places.__getitem__)}
            while entries > self._buckets * self._load:
                self._buckets *= 2

    def _places(self) -> dict[Any, int]:
        """Return the bucket of each key: where its hash leads, or further if that is taken."""
        mask = self._buckets - 1
        taken: set[int] = set()
        found = {}
        for key in self._rows:
            place, step = _hashed(key) & mask, 0
            while place in taken:
                step += 1
                place = (place + step) & mask
            taken.add(place)
            found[key] = place
        return found

    def replace(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
        """Take over buckets: keys and values of rank 2, with empty ones among them."""
        wanted = (*keys.shape[:-1], int(np.prod(self.value_shape)))
        if tuple(values.shape) != wanted:
            raise invalid(
                f"Expected shape {bracketed(wanted)} for value, got {bracketed(values.shape)}"
            )
        rows, _ = self._keys_of(keys.reshape(-1, *self.key_shape))
        kept = [place for place, key in enumerate(rows) if key not in self.forbidden]
        with self._lock:
            self._rows.clear()
        super().insert(
            keys.reshape(-1, *self.key_shape)[kept], values.reshape(-1, *self.value_shape)[kept]
        )
        if len(keys) >= 4 and not len(keys) & (len(keys) - 1):
            self._buckets = len(keys)
        self._grow(len(self))

    def export(self) -> tuple[Any, Any]:
        """Return the keys and the values of all buckets, as matrices."""
        with self._lock:
            count = self._buckets
            size = int(np.prod(self.value_shape))
            keys = np.empty((count, int(np.prod(self.key_shape))), self._empty.dtype)
            keys[:] = self._empty.reshape(-1)
            is_text = self.value_dtype.name == "string"
            values = np.full((count, size), b"" if is_text else 0, self._values().dtype)
            for key, place in self._places().items():
                keys[place] = key
                values[place] = np.reshape(self._rows[key], -1)
            return keys, values


def _hashed(key: Any) -> int:
    """Return TensorFlow's hash of a key: of numbers themselves, of vectors all in turn."""
    if isinstance(key, tuple):
        result = 0
        for each in key:
            rest = _hashed(each) + 0x9E3779B97F4A7800 + (result << 10) + (result >> 4)
            result = (result ^ rest) & _WORD
        return result
    return murmur64(key) if isinstance(key, bytes) else key & _WORD
