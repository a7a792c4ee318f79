"""Data sets of CSV files, as `tf.contrib.learn.datasets.base` reads them: arrays with a target."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from placewise.contrib.learn.datasets.mnist import Datasets as Datasets
from placewise.contrib.learn.datasets.mnist import load_mnist
from placewise.contrib.learn.datasets.mnist import maybe_download as maybe_download
from placewise.ops.io.file_objects import GFile

Array = np.ndarray[Any, Any]


class Dataset(NamedTuple):
    """Examples and what is to be predicted of each."""

    data: Any
    target: Any


def _rows(filename: Any) -> list[list[str]]:
    with GFile(os.fspath(filename)) as file:
        return list(csv.reader(file))


def _parted(rows: Iterable[list[str]], target_column: int) -> tuple[list[Any], list[list[str]]]:
    """Return the target column, and the rows without it."""
    targets = []
    rest = []
    for row in rows:
        targets.append(row.pop(target_column))
        rest.append(row)
    return targets, rest


def load_csv_with_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Return a data set whose first line begins with its numbers of rows and of features.

    Raises ValueError if there are other than these.
    """
    header, *rows = _rows(filename)
    samples, features = int(header[0]), int(header[1])
    targets, rest = _parted(rows, target_column)
    if len(rest) != samples or any(len(row) != features for row in rest):
        raise ValueError(
            f"{filename} has {len(rest)} rows of {len(rest[0]) if rest else 0} features, its first "
            f"line says {samples} of {features}"
        )
    data = np.asarray(rest).reshape(samples, features).astype(features_dtype)
    return Dataset(data, np.asarray(targets).astype(target_dtype))


def load_csv_without_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Return a data set of a file that has rows only."""
    targets, rest = _parted(_rows(filename), target_column)
    data = np.array([np.asarray(row).astype(features_dtype) for row in rest])
    return Dataset(data, np.array(targets).astype(target_dtype))


def shrink_csv(filename: str, ratio: int) -> None:
    """Write every `ratio`-th row of a file into one whose name has `_small`."""
    kept = _rows(filename)[::ratio]
    with GFile(filename.replace(".", "_small."), "w") as file:
        csv.writer(file).writerows(kept)


def _given(data_path: str | None, name: str) -> str:
    if data_path is None:
        raise FileNotFoundError(
            f"load_{name}: TensorFlow 1 has {name}.csv in its package, placewise has no data.\n  "
            f"get the file and give its path: load_{name}(data_path)"
        )
    return data_path


def load_iris(data_path: str | None = None) -> Dataset:
    """Return the iris flowers of a CSV file with a header; its path must be given."""
    return load_csv_with_header(_given(data_path, "iris"), np.int64, np.float64)


def load_boston(data_path: str | None = None) -> Dataset:
    """Return the houses of Boston of a CSV file with a header; its path must be given."""
    return load_csv_with_header(_given(data_path, "boston"), np.float64, np.float64)


DATASETS = {"iris": load_iris, "boston": load_boston, "mnist": load_mnist}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Return a data set by its name: iris, boston or mnist."""
    if name not in DATASETS:
        raise ValueError(
            f"Name of dataset is not found: {name}\n  there are: {', '.join(sorted(DATASETS))}"
        )
    return DATASETS[name]()
