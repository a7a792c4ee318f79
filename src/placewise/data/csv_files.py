"""`make_csv_dataset`: batches of CSV rows as dicts of columns, with dtypes found by looking."""

from __future__ import annotations

import csv
import gzip
import io
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import DType, as_dtype
from placewise.core.tensor import Tensor
from placewise.data.dataset import DatasetV2
from placewise.data.readers import CsvDatasetV2
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io import paths
from placewise.ops.io.file_system import glob

_KINDS = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]
_INT32_MAX = 2**31 - 1


def _rows(name: str, delim: str, quotes: bool, compression: Any, encoding: str) -> Iterator[Any]:
    data = paths.read(paths.local_path(name))
    if compression == "GZIP":
        data = gzip.decompress(data)
    elif compression:
        raise ValueError(
            f"`compression_type` {compression} is not supported for probing columns: give "
            "`column_names` and `column_defaults`."
        )
    text = io.StringIO(data.decode(encoding))
    if quotes:
        return csv.reader(text, delimiter=delim)
    return csv.reader(text, delimiter=delim, quoting=csv.QUOTE_NONE)


def _rank(value: str, missing: str) -> int:
    """Return the narrowest kind that holds a text."""
    if value in ("", missing):
        return 0
    try:
        number = int(value)
        if abs(number) <= _INT32_MAX:
            return 0
        if abs(number) < 2**63:
            return 1
    except ValueError:
        pass
    try:
        found = float(value)
    except ValueError:
        return 4
    return 2 if abs(found) < np.finfo(np.float32).max or np.isinf(found) else 3


def _files(pattern: str) -> list[str]:
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    found = sorted({name for each in patterns for name in glob(each)})
    if not found:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return found


def make_csv_dataset(
    file_pattern: str,
    batch_size: int,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    """Return batches of the rows of CSV files: dicts of columns, with a label besides if named."""
    names = _files(file_pattern)

    def rows(name: str) -> Iterator[Any]:
        return _rows(name, field_delim, use_quote_delim, compression_type, encoding)

    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arg to be provided.")
        column_names = next(iter(rows(names[0])))
        for name in names[1:]:
            if next(iter(rows(name))) != column_names:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. File "
                    f"{name} has different column names."
                )
    if repeated := {name for name in column_names if column_names.count(name) > 1}:
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{repeated}."
        )
    chosen = _chosen(select_columns, column_names)
    kept = [column_names[k] for k in chosen]
    if label_name is not None and label_name not in kept:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {kept}. Received: {label_name}."
        )
    if column_defaults is None:
        column_defaults = _inferred(
            names, rows, len(column_names), chosen, na_value, header, num_rows_for_inference
        )
    elif select_columns is not None and len(column_defaults) != len(kept):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: "
            f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length "
            f"{len(kept)}."
        )

    def read(name: Tensor) -> Any:
        made = CsvDatasetV2(
            name,
            column_defaults,
            compression_type,
            None,
            header,
            field_delim,
            use_quote_delim,
            na_value,
            chosen if select_columns is not None else None,
        )
        return made.ignore_errors() if ignore_errors else made

    dataset = DatasetV2.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    dataset = dataset.interleave(read, cycle_length=num_parallel_reads or 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)

    def arranged(*columns: Any) -> Any:
        features = OrderedDict(zip(kept, columns, strict=False))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return dataset.map(arranged).prefetch(
        -1 if prefetch_buffer_size is None else prefetch_buffer_size
    )


def _chosen(select: Any, names: list[str]) -> list[int]:
    if select is None:
        return list(range(len(names)))
    chosen = sorted(_position(column, names) for column in select)
    if len(chosen) != len(set(chosen)):
        raise ValueError("Cannot have duplicate columns in `select_columns`.")
    return chosen


def _position(column: int | str, names: list[str]) -> int:
    if isinstance(column, int):
        if not 0 <= column < len(names):
            raise ValueError(
                f"Column index {column} specified in `select_columns` should be >= 0 and < "
                f"{len(names)}, which is the number of columns."
            )
        return column
    if column not in names:
        raise ValueError(
            f"Column {column} specified in `select_columns` must be of one of the columns: {names}."
        )
    return names.index(column)


def _inferred(
    names: list[str],
    rows: Callable[..., Any],
    width: int,
    chosen: list[int],
    missing: str,
    header: bool,
    most: int,
) -> list[Any]:
    ranks = [0] * len(chosen)
    seen = [False] * len(chosen)
    count = 0
    for name in names:
        for number, row in enumerate(rows(name)):
            if header and number == 0:
                continue
            if most is not None and count >= most:
                break
            count += 1
            if len(row) != width:
                raise ValueError(
                    f"Problem inferring types: CSV row {number + 1} of {name} has {len(row)} "
                    f"number of fields. Expected: {width}."
                )
            for position, column in enumerate(chosen):
                if row[column] not in ("", missing):
                    seen[position] = True
                ranks[position] = max(ranks[position], _rank(row[column], missing))
    kinds = [
        _KINDS[rank] if used else dtypes.string for rank, used in zip(ranks, seen, strict=True)
    ]
    return [_optional(kind) for kind in kinds]


def _optional(kind: DType) -> Any:
    """Return the default of a column: empty fields are zeros."""
    kind = as_dtype(kind)
    if kind is dtypes.string:
        return convert_to_tensor([""])
    return convert_to_tensor(np.zeros([1], kind.as_numpy_dtype))
