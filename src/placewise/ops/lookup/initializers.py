"""What tables are filled with: keys and values at hand, or the lines of a text file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.dtypes import DType, as_dtype
from placewise.core.scope import current
from placewise.core.trackable import Trackable
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io.assets import Asset
from placewise.ops.lookup import ops, text_file

if TYPE_CHECKING:
    from placewise.ops.lookup.classes import StaticHashTable


class TableInitializerBase(Trackable):
    """Knows the dtypes of keys and values, and how to fill a table with them."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> Any:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> Any:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, return the operation that does."""
        raise NotImplementedError

    def _check(self, table: Any) -> None:
        if table.key_dtype is not self._key_dtype:
            raise TypeError(
                f"Invalid key dtype for table, expected {self._key_dtype} but got "
                f"{table.key_dtype}."
            )
        if table.value_dtype is not self._value_dtype:
            raise TypeError(
                f"Invalid value dtype for table, expected {self._value_dtype} but got "
                f"{table.value_dtype}."
            )


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with given keys and values."""

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, key_dtype)
        self._values = convert_to_tensor(values, value_dtype)
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: StaticHashTable) -> Any:
        """Fill a table; in a graph, return the operation that does."""
        self._check(table)
        return ops.import_all(table.resource_handle, self._keys, self._values)


class TextFileIndex:
    """What a column may be besides a number: the whole line, or the number of the line."""

    WHOLE_LINE = text_file.WHOLE_LINE
    LINE_NUMBER = text_file.LINE_NUMBER


class TextFileInitializer(TableInitializerBase):
    """Fills a table from a text file: one line a key."""

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not hasattr(filename, "dtype") and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        for what, index, dtype in (
            ("key", key_index, self._key_dtype),
            ("value", value_index, self._value_dtype),
        ):
            _check_index(what, index, dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` must be > 0, received: {vocab_size}")
        self._filename = self._track_trackable(Asset(filename), "_filename")
        self._indices = key_index, value_index
        self._vocab_size = -1 if vocab_size is None else vocab_size
        self._delimiter, self._offset = delimiter, value_index_offset

    def initialize(self, table: StaticHashTable) -> Any:
        """Fill a table; in a graph, return the operation that does."""
        self._check(table)
        path = self._filename.asset_path
        graph = current.interpreter.graph
        if graph is not None and not graph.building_function:
            graph.add_to_collection("asset_filepaths", path)
        return ops.initialize_from_text_file(
            table.resource_handle,
            path,
            key_index=self._indices[0],
            value_index=self._indices[1],
            vocab_size=self._vocab_size,
            delimiter=self._delimiter,
            offset=self._offset,
        )


def _check_index(what: str, index: int, dtype: DType) -> None:
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 for `{what}_index` {index}, received: {dtype}"
        )
    if index == TextFileIndex.WHOLE_LINE and not (dtype is dtypes.string or dtype.is_integer):
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, "
            f"received: {dtype}"
        )


for _class in (TableInitializerBase, KeyValueTensorInitializer, TextFileIndex, TextFileInitializer):
    _class.__module__ = "tensorflow.python.ops.lookup_ops"
