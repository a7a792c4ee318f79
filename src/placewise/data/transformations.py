"""`tf.data.experimental`: transformations to be handed to `Dataset.apply`, and small helpers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes, nest
from placewise.core.dtypes import as_dtype
from placewise.data import terminal
from placewise.data.construction import derived, int64, of_kind
from placewise.data.dataset import DatasetV2, variant_dataset
from placewise.data.engine import combinations, groups
from placewise.data.user_functions import traced, traced_state
from placewise.ops.array.creation import zeros_like
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io.records import TFRecordOptions
from placewise.ops.io.records import TFRecordWriter as Writer
from placewise.ops.random.streams import new_iteration
from placewise.ops.specs import TensorSpec
from placewise.ops.values import EagerTensor

Transformation = Callable[[Any], Any]
SHARD_HINT = -1


def _method(name: str, doc: str) -> Callable[..., Transformation]:
    """Return the function whose result, applied, calls a method of the dataset."""

    def transformation(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    transformation.__name__ = transformation.__qualname__ = name
    transformation.__doc__ = doc
    taken = dict(inspect.signature(getattr(DatasetV2, name)).parameters)
    shown = [taken[each] for each in taken if each not in ("self", "name")]
    transformation.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return transformation


bucket_by_sequence_length = _method(
    "bucket_by_sequence_length", "Return a transformation: batches of similar lengths."
)
dense_to_ragged_batch = _method("ragged_batch", "Return a transformation: ragged batches.")
dense_to_sparse_batch = _method("sparse_batch", "Return a transformation: sparse batches.")
enumerate_dataset = _method("enumerate", "Return a transformation: pairs with numbers.")
group_by_window = _method("group_by_window", "Return a transformation: windows of one key.")
ignore_errors = _method("ignore_errors", "Return a transformation: without what fails.")
rejection_resample = _method("rejection_resample", "Return a transformation: classes resampled.")
scan = _method("scan", "Return a transformation: a state carried from element to element.")
snapshot = _method("snapshot", "Return a transformation: elements kept in files.")
take_while = _method("take_while", "Return a transformation: as long as a function is true.")
unbatch = _method("unbatch", "Return a transformation: the rows of each element.")
unique = _method("unique", "Return a transformation: each element once.")


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Return a transformation: map, then batch."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set, but `num_parallel_batches` was set to "
            f"{num_parallel_batches} and `num_parallel_calls` as set to {num_parallel_calls}."
        )
    return lambda dataset: _renamed(
        "_MapAndBatchDataset",
        dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder),
    )


map_and_batch_with_legacy_function = map_and_batch


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Return a transformation: shuffle, then repeat."""
    return lambda dataset: _renamed(
        "_ShuffleAndRepeatDataset", dataset.shuffle(buffer_size, seed).repeat(count)
    )


def _renamed(kind: str, dataset: DatasetV2) -> Any:
    """Return a dataset as one of another kind, which is only another name."""
    return of_kind(dataset._base(), kind)._of(
        dataset._variant_tensor, dataset._structure, dataset._sources
    )


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Return a transformation: elements of several datasets by turns."""
    return lambda dataset: _renamed(
        "ParallelInterleaveDataset", dataset.interleave(map_func, cycle_length, block_length)
    )


def assert_cardinality(expected_cardinality: int) -> Transformation:
    """Return a transformation: fails unless there are as many elements as said."""
    return lambda dataset: dataset._same(
        "_AssertCardinalityDataset", combinations.AssertCardinality, int64(expected_cardinality)
    )


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Return a transformation: elements arrive on a device."""

    def apply(dataset: DatasetV2) -> Any:
        made = dataset.with_options(dataset.options())
        made._target_device = target_device
        return made

    return apply


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Return a transformation: elements are made ahead and arrive on a device."""

    def apply(dataset: DatasetV2) -> Any:
        return copy_to_device(device)(dataset.prefetch(-1 if buffer_size is None else buffer_size))

    return apply


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Transformation:
    """Return a transformation: elements of zeros at the end, marked as not valid."""

    def apply(dataset: DatasetV2) -> Any:
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        count = dataset.cardinality()
        if isinstance(count, EagerTensor):
            _check_cardinality(int(count), cardinality)
        if mask_key in dataset.element_spec:
            raise ValueError(
                f"Dataset already contains a feature named {mask_key!r}. Please rename that "
                "feature or choose a different mask_key."
            )

        def marked(valid: bool) -> Any:
            return lambda element: {**element, mask_key: convert_to_tensor(valid)}

        def zeros(element: Any) -> Any:
            return nest.map_structure(zeros_like, element)

        filler = dataset.take(1).map(zeros).repeat(cardinality - count).map(marked(False))
        return dataset.map(marked(True)).concatenate(filler)

    return apply


def _check_cardinality(count: int, most: int) -> None:
    if count < 0:
        raise ValueError(
            f"The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has "
            f"cardinality {count}"
        )
    if count > most:
        raise ValueError(
            f"The dataset passed into `pad_to_cardinality` must have a cardinalty less than the "
            f"target cardinality ({most}), but has cardinality {count}"
        )


class Reducer:
    """Three functions that begin, change and finish the state of a key."""

    def __init__(self, init_func: Any, reduce_func: Any, finalize_func: Any) -> None:
        self.init_func, self.reduce_func = init_func, reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """Return a transformation: one element for each key, reduced."""

    def apply(dataset: DatasetV2) -> Any:
        scalar = TensorSpec((), dtypes.int64)
        key = traced(key_func, dataset.element_spec, "key_func")
        if key.output_spec != scalar:
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor but "
                f"instead `key_func` returns {key.output_spec}."
            )
        init = traced(reducer.init_func, scalar, "init_func")
        reduce, state, _ = traced_state(
            reducer.reduce_func, init.output_spec, dataset.element_spec, "reduce_func", False
        )
        finalize = traced(reducer.finalize_func, state, "finalize_func")
        functions = (key, init, reduce, finalize)
        captured = [each for function in functions for each in function.captured]
        return derived(
            dataset,
            "_GroupByReducerDataset",
            groups.GroupByReducer,
            finalize.output_spec,
            dataset._variant_tensor,
            captured,
            sources=[dataset],
            functions=functions,
            counts=tuple(len(function.captured) for function in functions),
        )

    return apply


# Helpers.


def cardinality(dataset: Any) -> Any:
    """Return how many elements there are; -1 for ever, -2 unknown."""
    return terminal.cardinality(dataset)


def get_single_element(dataset: Any) -> Any:
    """Return the one element of a dataset."""
    if not isinstance(dataset, DatasetV2):
        raise TypeError(
            f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}."
        )
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """Return the structure of the elements of a dataset or iterator."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        ) from None


def get_next_as_optional(iterator: Any) -> Any:
    """Return the next element of an iterator as an optional."""
    return iterator.get_next_as_optional()


def to_variant(dataset: Any) -> Any:
    """Return the variant tensor of a dataset."""
    return dataset._variant_tensor


def from_variant(variant: Any, structure: Any) -> Any:
    """Return the dataset of a variant tensor."""
    return variant_dataset(variant, structure)


def at(dataset: Any, index: Any) -> Any:
    """Return the element at a place, counted from 0."""
    return terminal.element_at(dataset, index, None)


def from_list(elements: list[Any], name: str | None = None) -> Any:
    """Return a dataset of the elements of a list."""
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    made = [DatasetV2.from_tensors(element, name=name) for element in elements]
    while len(made) > 1:  # pair by pair: a chain would be as deep as the list is long
        pairs = zip(made[::2], made[1::2], strict=False)
        rest = made[-1:] if len(made) % 2 else []
        made = [first.concatenate(second) for first, second in pairs] + rest
    return _renamed("_ListDataset", made[0])


def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:
    """Return a dataset that counts for ever."""
    return DatasetV2.counter(start, step, as_dtype(dtype))


def random_dataset(
    seed: Any = None, rerandomize_each_iteration: Any = None, name: str | None = None
) -> Any:
    """Return a dataset of random numbers."""
    return DatasetV2.random(seed, rerandomize_each_iteration, name)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """Return elements drawn from several datasets at random."""
    return DatasetV2.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """Return elements of several datasets as a further one says."""
    return DatasetV2.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def save(
    dataset: Any,
    path: Any,
    compression: Any = None,
    shard_func: Any = None,
    checkpoint_args: Any = None,
) -> Any:
    """Write a dataset below a folder."""
    return dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None
) -> Any:
    """Return a dataset that `save` wrote."""
    return DatasetV2.load(path, element_spec, compression, reader_func)


class TFRecordWriter:
    """Writes a dataset of strings to a TFRecord file."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: DatasetV2) -> Any:
        """Write all elements."""
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        if (
            not isinstance(spec, TensorSpec)
            or spec.dtype is not dtypes.string
            or (spec.shape.rank not in (0, None))
        ):
            raise TypeError(
                "Invalid `dataset`. `dataset` must produce scalar `DT_STRING` tensors whereas it "
                f"produces shape {getattr(spec, 'shape', spec)} and types "
                f"{getattr(spec, 'dtype', spec)}"
            )
        name = self._filename
        if isinstance(name, EagerTensor):
            name = name.numpy()
        kind = TFRecordOptions.get_compression_type_string(self._compression)
        with Writer(name, kind or None) as writer, new_iteration():
            for element in dataset._variant_tensor._value.value.read():
                writer.write(element[0][()])
