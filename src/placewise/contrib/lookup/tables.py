"""Tables under contrib's names, and tables of words in files and lists."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.ops.lookup.classes import (
    StaticHashTable,
    StaticVocabularyTable,
)
from placewise.ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)


class HashTable(StaticHashTable):
    """A table that is filled once, by its initializer operation."""

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: Any = None, name: Any = None
    ) -> None:
        super().__init__(initializer, default_value, name=name)

    @property
    def init(self) -> Any:
        """The operation that fills the table."""
        return self.initializer


def _ids(initializer: Any, buckets: int, default: int) -> Any:
    if buckets:
        return StaticVocabularyTable(initializer, buckets)
    return HashTable(initializer, default)


def index_table_from_file(
    vocabulary_file: str | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = None,
    key_dtype: DTypeLike = tf.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """Return a table from the lines of a file to their numbers."""
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    kind = tf.as_dtype(key_dtype)
    start = TextFileInitializer(
        vocabulary_file,
        tf.int64 if kind.is_integer else tf.string,
        key_column_index,
        tf.int64,
        value_column_index,
        vocab_size=vocab_size,
        delimiter=delimiter,
    )
    return _ids(start, num_oov_buckets, default_value)


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = None,
    dtype: DTypeLike = tf.string,
    name: str | None = None,
) -> Any:
    """Return a table from words to their places in a list."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    keys = tf.convert_to_tensor(mapping)
    if keys.dtype.is_integer:
        keys = tf.cast(keys, tf.int64)
    values = tf.range(tf.size(keys, out_type=tf.int64), dtype=tf.int64)
    return _ids(KeyValueTensorInitializer(keys, values), num_oov_buckets, default_value)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> Any:
    """Return a table from numbers of lines to the lines of a file."""
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified.")
    start = TextFileInitializer(
        vocabulary_file,
        tf.int64,
        key_column_index,
        tf.string,
        value_column_index,
        vocab_size=vocab_size,
        delimiter=delimiter,
    )
    return HashTable(start, default_value)


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """Return a table from places in a list to words."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    values = tf.convert_to_tensor(mapping)
    keys = tf.range(tf.size(values, out_type=tf.int64), dtype=tf.int64)
    return HashTable(KeyValueTensorInitializer(keys, values), default_value)


def string_to_index(
    tensor: TensorLike, mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """Return the places of words in a list."""
    return index_table_from_tensor(mapping, default_value=default_value).lookup(tensor)


def index_to_string(
    tensor: TensorLike, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """Return the words at places in a list."""
    return index_to_string_table_from_tensor(mapping, default_value).lookup(tensor)
