"""`make_batched_features_dataset` and `parse_example_dataset`: datasets of tf.train.Example."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.data.csv_files import _files
from placewise.data.dataset import DatasetV2
from placewise.data.readers import TFRecordDatasetV2
from placewise.graph.readers import ReaderBase
from placewise.ops.io.examples import parse_example
from placewise.ops.specs import TensorSpec


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: Any = None
) -> Any:
    """Return a transformation: batches of serialized examples become dicts of tensors."""
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset: Any) -> Any:
        wanted = TensorSpec([None], dtypes.string)
        if not wanted.is_compatible_with(dataset.element_spec):
            raise TypeError(
                "Input dataset should be a dataset of vectors of strings. Instead it is "
                f"`{dataset.element_spec}`."
            )
        return dataset.map(
            lambda serialized: parse_example(serialized, features), num_parallel_calls
        )

    return apply


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Any = None,
    label_key: Any = None,
    reader_args: Any = None,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Any:
    """Return batches of parsed examples of files, with a label besides if named."""
    read = reader or TFRecordDatasetV2
    if isinstance(read, type) and issubclass(read, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are "
            f"not supported; got {read.__name__}."
        )
    names = _files(file_pattern)
    dataset = DatasetV2.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    dataset = dataset.interleave(
        lambda name: read(name, *(reader_args or [])), cycle_length=reader_num_threads or 1
    )
    if isinstance(dataset.element_spec, tuple):
        dataset = dataset.map(lambda _, value: value)  # readers that give keys, too
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: "
                f"{sorted(features)!r}."
            )

        def labelled(parsed: Any) -> Any:
            rest = dict(parsed)
            return rest, rest.pop(label_key)

        dataset = dataset.map(labelled)
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)
