"""Datasets of files: TFRecord files, lines of text, pieces of fixed length, CSV, databases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import dtypes, nest
from placewise.core.dtypes import as_dtype
from placewise.core.tensor import Tensor
from placewise.data.construction import int64
from placewise.data.dataset import DatasetV2, variant_dataset
from placewise.data.dataset_v1 import DatasetV1
from placewise.data.engine import files
from placewise.data.structure import Structure
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec

_STRING = TensorSpec((), dtypes.string)


def _named(filenames: Any) -> Any:
    if isinstance(filenames, DatasetV2):
        return filenames
    if hasattr(filenames, "__fspath__"):
        filenames = filenames.__fspath__()
    elif isinstance(filenames, (list, tuple)):
        filenames = [
            each.__fspath__() if hasattr(each, "__fspath__") else each for each in filenames
        ]
    made = convert_to_tensor(filenames, dtype_hint=dtypes.string)
    if made.dtype is not dtypes.string:
        raise TypeError(f"{_STRINGS_ONLY} Got `{made.dtype!r}` elements.")
    return made


_STRINGS_ONLY = "The `filenames` argument must contain `tf.string` elements."


def _check_dataset(names: DatasetV2) -> None:
    spec = names.element_spec
    dtype = getattr(spec, "dtype", None)
    if dtype is not dtypes.string:
        raise TypeError(f"{_STRINGS_ONLY} Got a dataset of `{dtype!r}` elements.")
    if not spec.shape.is_compatible_with([]):
        raise TypeError(
            f"{_STRINGS_ONLY[:-1]} of shape [] (i.e. scalars). Got a dataset of element shape "
            f"{spec.shape!r}."
        )


class _FileDataset(DatasetV2):
    """A dataset of strings read from files; several may be read by turns."""

    def _begin(
        self, filenames: Any, read: Callable[..., Any], num_parallel_reads: int | None
    ) -> None:
        names = _named(filenames)
        if isinstance(names, DatasetV2):
            _check_dataset(names)
            made = names.flat_map(read)
        elif num_parallel_reads is None:
            self._take_over(read(names)._variant_tensor, ())
            return
        else:
            slices = DatasetV2.from_tensor_slices(reshape(names, [-1]))
            made = slices.interleave(read, cycle_length=num_parallel_reads, block_length=1)
        self._take_over(made._variant_tensor, ())

    def _take_over(self, variant: Tensor, sources: tuple[Any, ...], spec: Any = _STRING) -> None:
        self._variant_tensor, self._structure = variant, Structure(spec)
        self._sources, self._options_set = sources, None


def _read_with(engine: type[Any], *arguments: Any) -> Any:
    """Return a function from names of files to the dataset of their records."""

    def read(names: Tensor) -> Any:
        structure = Structure(_STRING)
        return variant_dataset(engine.make(names, *arguments, structure=structure), _STRING)

    return read


def _compression(given: str | None) -> Any:
    return convert_to_tensor("" if given is None else given, dtypes.string)


class TFRecordDatasetV2(_FileDataset):
    """The records of TFRecord files, as strings.

    `filenames`: one path, a list, a string tensor or a dataset of paths.
    `compression_type`: '', 'GZIP' or 'ZLIB'.
    `buffer_size`: how many bytes to read at a time.
    `num_parallel_reads`: from how many files to take records by turns.
    `name`: the name of the dataset's op.

    Raises TypeError if the names are no strings. Iterating raises NotFoundError for a missing file,
    DataLossError for a damaged record.

    >>> with tf.io.TFRecordWriter("data.tfrecord") as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> [record.numpy() for record in tf.data.TFRecordDataset("data.tfrecord")]
    [b'first', b'second']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read = _read_with(
            files.Records, _compression(compression_type), int64(buffer_size or 256 * 1024)
        )
        self._begin(filenames, read, num_parallel_reads)


class TextLineDatasetV2(_FileDataset):
    """The lines of text files, without their ends."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read = _read_with(
            files.Lines, _compression(compression_type), int64(buffer_size or 256 * 1024)
        )
        self._begin(filenames, read, num_parallel_reads)


class FixedLengthRecordDatasetV2(_FileDataset):
    """Pieces of `record_bytes` bytes of binary files."""

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        read = _read_with(
            files.FixedLength,
            int64(header_bytes or 0),
            int64(record_bytes),
            int64(footer_bytes or 0),
            int64(buffer_size or 256 * 1024),
            _compression(compression_type),
        )
        self._begin(filenames, read, num_parallel_reads)


class CsvDatasetV2(_FileDataset):
    """The rows of CSV files; each element is a tuple of scalars."""

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        defaults = [_default(each) for each in record_defaults]
        spec = tuple(TensorSpec((), each.dtype) for each in defaults)
        structure = Structure(spec)
        names = _named(filenames)
        variant = files.Csv.make(
            names,
            _compression(compression_type),
            int64(buffer_size or 4 * 1024 * 1024),
            header,
            convert_to_tensor(field_delim),
            use_quote_delim,
            convert_to_tensor(na_value),
            convert_to_tensor(np.array(select_cols or [], np.int64)),
            defaults,
            convert_to_tensor(np.array(exclude_cols or [], np.int64)),
            structure=structure,
        )
        self._take_over(variant, (), spec)


def _default(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value
    try:
        kind = as_dtype(value)
    except TypeError:
        return convert_to_tensor(value if isinstance(value, (list, tuple)) else [value])
    return convert_to_tensor(np.zeros([0], kind.as_numpy_dtype), kind)  # required: no default


class SqlDatasetV2(_FileDataset):
    """The rows that a query of an SQLite database gives."""

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        spec = nest.map_structure(lambda each: TensorSpec((), as_dtype(each)), output_types)
        given = [
            convert_to_tensor(each, dtypes.string)
            for each in (driver_name, data_source_name, query)
        ]
        self._take_over(files.Sql.make(*given, structure=Structure(spec)), (), spec)


def _tf1(newer: type[Any], name: str) -> Any:
    """Return the TensorFlow 1 class of a dataset of files."""
    return type(name, (newer, DatasetV1), {"__doc__": newer.__doc__, "_is_v1": True})


TFRecordDatasetV1 = _tf1(TFRecordDatasetV2, "TFRecordDatasetV1")
TextLineDatasetV1 = _tf1(TextLineDatasetV2, "TextLineDatasetV1")
FixedLengthRecordDatasetV1 = _tf1(FixedLengthRecordDatasetV2, "FixedLengthRecordDatasetV1")
CsvDatasetV1 = _tf1(CsvDatasetV2, "CsvDatasetV1")
SqlDatasetV1 = _tf1(SqlDatasetV2, "SqlDatasetV1")

for _each in (
    TFRecordDatasetV2,
    TextLineDatasetV2,
    FixedLengthRecordDatasetV2,
    TFRecordDatasetV1,
    TextLineDatasetV1,
    FixedLengthRecordDatasetV1,
):
    _each.__module__ = "tensorflow.python.data.ops.readers"
for _each in (CsvDatasetV2, SqlDatasetV2, CsvDatasetV1, SqlDatasetV1):
    _each.__module__ = "tensorflow.python.data.experimental.ops.readers"
