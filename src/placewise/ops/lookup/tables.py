"""The state behind a table's handle: keys and values in host memory."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from placewise import native
from placewise.core.errors import FailedPreconditionError, invalid
from placewise.ops.families import bracketed


class Table:
    """Keys and the value of each; `is_static` ones are filled once and never change a value."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        value_shape: tuple[int, ...] = (),
        is_static: bool = False,
    ) -> None:
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self.value_shape, self.is_static = value_shape, is_static
        self.is_filled = not is_static
        self._rows: dict[Any, Any] = {}
        # Keys and values arranged for many look-ups, until a key comes or goes.
        self._sorted: tuple[Any, Any] | None = None
        self._words: tuple[Any, Any, Any] | None = None
        self._lock = threading.Lock()
        self.forbidden: dict[Any, str] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def _checked(self, keys: list[Any]) -> list[Any]:
        if self.forbidden:
            for key in keys:
                if key in self.forbidden:
                    raise invalid(f"Using the {self.forbidden[key]} as a table key is not allowed")
        return keys

    def _keys_of(self, keys: np.ndarray[Any, Any]) -> tuple[list[Any], tuple[int, ...]]:
        """Return the single keys of an array, and the shape they are arranged in."""
        return keys.reshape(-1).tolist(), tuple(keys.shape)

    def insert(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
        """Put values for keys; a static table refuses a second value for a key."""
        rows, shape = self._keys_of(keys)
        wanted = (*shape, *self.value_shape)
        if tuple(values.shape) != wanted:
            raise invalid(
                f"Expected shape {bracketed(wanted)} for value, got {bracketed(values.shape)}"
            )
        rows = self._checked(rows)
        flat = values.reshape(len(rows), *self.value_shape)
        # A copy: the array may be the memory of the tensor that was inserted.
        items = flat.tolist() if not self.value_shape else [row.copy() for row in flat]
        with self._lock:
            if self.is_static:
                self._insert_once(rows, items)
            else:
                self._rows.update(zip(rows, items, strict=True))
            self._sorted = self._words = None
            self.is_filled = True

    def _insert_once(self, keys: list[Any], values: list[Any]) -> None:
        for key, value in zip(keys, values, strict=True):
            held = self._rows.setdefault(key, value)
            if held != value and held == held:
                shown = [
                    each.decode() if isinstance(each, bytes) else each
                    for each in (key, held, value)
                ]
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {shown[0]} has {shown[1]} "
                    f"and trying to add value {shown[2]}",
                )

    def replace(self, keys: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
        """Forget everything, then put values for keys."""
        with self._lock:
            self._rows.clear()
        self.insert(keys, values)

    def remove(self, keys: np.ndarray[Any, Any]) -> None:
        """Forget keys; those that are not there are no error."""
        with self._lock:
            for key in self._checked(self._keys_of(keys)[0]):
                self._rows.pop(key, None)
            self._sorted = self._words = None

    def find(self, keys: Any, default: np.ndarray[Any, Any]) -> Any:
        """Return the value of each key, the default (one, or one a key) where it is not there."""
        if not self.is_filled:
            raise FailedPreconditionError(None, None, "Table not initialized.")
        many_integers = keys.dtype.kind in "iu" and keys.size > 64 and len(self._rows)
        if not self.forbidden and (many_integers or self._is_native(keys)):
            rows, outer = keys.reshape(-1), tuple(keys.shape)
        else:
            rows, outer = self._keys_of(keys)
        shape = (*outer, *self.value_shape)
        single = tuple(default.shape) == self.value_shape
        if not single and tuple(default.shape) != shape:
            raise invalid(
                f"Expected shape {bracketed(self.value_shape)} or {bracketed(shape)} for default "
                f"value, got {bracketed(default.shape)}"
            )
        defaults = (
            np.broadcast_to(default, (len(rows), *self.value_shape))
            if single
            else (default.reshape(len(rows), *self.value_shape))
        )
        if isinstance(rows, np.ndarray):
            find = self._find_native if keys.dtype == object else self._search
            return find(rows, defaults).reshape(shape)
        result = defaults.copy()
        table = self._rows
        for place, key in enumerate(self._checked(rows)):
            found = table.get(key)
            if found is not None:
                result[place] = found
        return result.reshape(shape)

    def _is_native(self, keys: np.ndarray[Any, Any]) -> bool:
        """Return whether the native module finds these keys: strings that have ids.

        A table that may change is indexed anew after each change, which must be worth it.
        """
        has_ids = self.value_dtype.name == "int64" and not self.value_shape
        is_worth = self.is_static or self._words is not None or keys.size * 4 > len(self._rows)
        return native.code is not None and has_ids and keys.dtype == object and is_worth

    def _find_native(self, rows: np.ndarray[Any, Any], defaults: np.ndarray[Any, Any]) -> Any:
        result = defaults.copy()
        with self._lock:
            if self._words is None:
                words, numbers = self._keys(), self._values()
                index = np.zeros(4 << len(words).bit_length(), np.uint64)
                native.code.index_words(words, index)
                self._words = words, index, numbers
            words, index, numbers = self._words
        native.code.find_words(np.ascontiguousarray(rows), words, index, numbers, result)
        return result

    def _search(self, rows: np.ndarray[Any, Any], defaults: np.ndarray[Any, Any]) -> Any:
        """Find many integers at once, in sorted copies of keys and values."""
        if self._sorted is None:
            keys = np.fromiter(self._rows, rows.dtype, len(self._rows))
            order = np.argsort(keys)
            self._sorted = keys[order], self._values()[order]
        keys, values = self._sorted
        places = np.minimum(np.searchsorted(keys, rows), len(keys) - 1)
        found = keys[places] == rows
        shape = (-1, *[1] * len(self.value_shape))
        return np.where(found.reshape(shape), values[places], defaults).astype(defaults.dtype)

    def _keys(self) -> Any:
        kind = object if self.key_dtype.name == "string" else self.key_dtype.as_numpy_dtype
        made = np.empty(len(self._rows), kind)
        for place, key in enumerate(self._rows):
            made[place] = key
        return made

    def _values(self) -> Any:
        kind = self.value_dtype.as_numpy_dtype
        if self.value_dtype.name == "string":
            kind = object
        made = np.empty((len(self._rows), *self.value_shape), kind)
        for place, value in enumerate(self._rows.values()):
            made[place] = value
        return made

    def export(self) -> tuple[Any, Any]:
        """Return all keys and their values, in the order they came."""
        with self._lock:
            return self._keys(), self._values()
