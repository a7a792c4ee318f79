"""What only TensorFlow 1 had in tf.data.experimental, and what gives its datasets there."""

from __future__ import annotations

import functools
from typing import Any

from placewise.core import dtypes
from placewise.data import csv_files, feature_files
from placewise.data.dataset_v1 import DatasetV1, DatasetV1Adapter
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import TensorSpec


def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:  # noqa: N802
    """Return the spec of a tensor; dtype first, as it was then."""
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: Any, shape: Any) -> SparseTensorSpec:  # noqa: N802
    """Return the spec of a sparse tensor; dtype first, as it was then."""
    return SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:  # noqa: N802
    """Return the spec of a ragged tensor; dtype first, as it was then."""
    return RaggedTensorSpec(shape, dtype, ragged_rank)


def adapted(dataset: Any) -> Any:
    """Return a dataset as one of TensorFlow 1, which makes iterators for sessions."""
    return DatasetV1Adapter._of(dataset._variant_tensor, dataset._structure, (dataset,))


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:  # noqa: N802
    """Return a dataset that counts for ever."""
    return DatasetV1.counter(start, step, dtype)


def RandomDataset(seed: Any = None) -> Any:  # noqa: N802
    """Return a dataset of random numbers."""
    return DatasetV1.random(seed)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """Return elements drawn from several datasets at random."""
    return DatasetV1.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """Return elements of several datasets as a further one says."""
    return DatasetV1.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@functools.wraps(csv_files.make_csv_dataset)
def make_csv_dataset(*args: Any, **kwargs: Any) -> Any:
    """Return batches of the rows of CSV files: dicts of columns, with a label besides if named."""
    return adapted(csv_files.make_csv_dataset(*args, **kwargs))


@functools.wraps(feature_files.make_batched_features_dataset)
def make_batched_features_dataset(*args: Any, **kwargs: Any) -> Any:
    """Return batches of parsed examples of files, with a label besides if named."""
    return adapted(feature_files.make_batched_features_dataset(*args, **kwargs))


def load(*args: Any, **kwargs: Any) -> Any:
    """Return a dataset that `save` wrote."""
    return DatasetV1.load(*args, **kwargs)
