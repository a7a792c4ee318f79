"""Input functions over arrays and pandas frames: batches, in order or shuffled, some epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import placewise as tf

_LABELS = "__target_key__"


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Return an input function that gives batches of arrays."""
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )

    def input_fn() -> Any:
        if not isinstance(x, (dict, np.ndarray)):
            raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
        if isinstance(x, dict) and not x:
            raise ValueError("x cannot be an empty dict")
        features = {"__direct_np_input__": x} if isinstance(x, np.ndarray) else dict(x)
        arrays = {key: np.asarray(value) for key, value in features.items()}
        names: list[str] = []
        if isinstance(y, dict):
            if not y:
                raise ValueError("y cannot be empty dict, use None instead.")
            names = list(y)
            both = set(arrays) & set(names)
            if both:
                raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
            arrays.update({key: np.asarray(value) for key, value in y.items()})
        elif y is not None:
            names = [_LABELS]
            arrays[_LABELS] = np.asarray(y)
        lengths = {key: len(value) for key, value in arrays.items()}
        if len(set(lengths.values())) != 1:
            shown = ", ".join(f"{key}: {value.shape}" for key, value in arrays.items())
            raise ValueError(
                f"Length of tensors in x and y is mismatched. All elements in x and y must have "
                f"the same length. Shapes in x and y: {shown}"
            )
        found = batches_of(arrays, batch_size, num_epochs, shuffle)
        given = {key: value for key, value in found.items() if key not in names}
        given = given.get("__direct_np_input__", given) if isinstance(x, np.ndarray) else given
        if y is None:
            return given
        if isinstance(y, dict):
            return given, {key: found[key] for key in names}
        return given, found[_LABELS]

    return input_fn


def batches_of(
    arrays: dict[str, Any], batch_size: int, num_epochs: int | None, shuffle: bool
) -> dict[str, Any]:
    """Return tensors that give the next rows of the arrays at each run."""
    keys = list(arrays)
    columns = [_column(arrays[key]) for key in keys]
    seed = tf_seed()
    stream = _rows(len(columns[0]), batch_size, num_epochs, shuffle, seed)

    def next_batch() -> list[Any]:
        rows = next(stream)
        return [column[rows] for column in columns]

    kinds = [tf.as_dtype(column.dtype if column.dtype != object else np.str_) for column in columns]
    tensors = tf.numpy_function(next_batch, [], kinds, name="fifo_queue_DequeueUpTo")
    tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    fixed = batch_size if num_epochs is None else None
    for tensor, column in zip(tensors, columns, strict=True):
        tensor.set_shape([fixed, *column.shape[1:]])
    return dict(zip(keys, tensors, strict=True))


def _column(array: Any) -> Any:
    if array.dtype.kind in "US":
        return np.array([_text(each) for each in array.ravel()], object).reshape(array.shape)
    return array


def _text(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def tf_seed() -> int | None:
    """Return the seed of the graph, by which rows are shuffled."""
    from placewise.graph.defaults import get_default_graph  # noqa: PLC0415 - keeps torch out

    return getattr(get_default_graph(), "seed", None)


def _rows(count: int, size: int, epochs: int | None, shuffle: bool, seed: Any) -> Iterator[Any]:
    """Yield the rows of each batch; batches run on over the end of an epoch."""
    drawn = np.random.RandomState(seed)
    kept = np.empty([0], np.int64)
    epoch = 0
    while epochs is None or epoch < epochs:
        order = drawn.permutation(count) if shuffle else np.arange(count)
        kept = np.concatenate([kept, order])
        epoch += 1
        while len(kept) >= size:
            yield kept[:size]
            kept = kept[size:]
    if len(kept):
        yield kept


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Return an input function that gives batches of a pandas frame."""
    if not hasattr(x, "columns"):
        raise TypeError(f"x must be a pandas DataFrame; got {type(x).__name__}")
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )
    x = x.copy()
    labels = [target_column]
    if y is not None:
        if target_column in x:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a "
                f"column with that name: {list(x.columns)}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                f"Index for x and y are mismatched.\nIndex for x: {x.index}\n"
                f"Index for y: {y.index}\n"
            )
        if hasattr(y, "columns"):
            labels = [f"{target_column}_{name}" for name in y.columns]
            for label, name in zip(labels, list(y.columns), strict=True):
                x[label] = y[name]
        else:
            x[target_column] = y

    def input_fn() -> Any:
        found = batches_of(
            {name: x[name].to_numpy() for name in x.columns}, batch_size, num_epochs, shuffle
        )
        if y is None:
            return found
        given = {key: value for key, value in found.items() if key not in labels}
        if hasattr(y, "columns"):
            return given, {
                name: found[label] for label, name in zip(labels, list(y.columns), strict=True)
            }
        return given, found[target_column]

    return input_fn
