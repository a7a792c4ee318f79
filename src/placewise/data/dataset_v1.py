"""`tf.data.Dataset` of TensorFlow 1: the same datasets, with iterators for sessions."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.core.dtypes import DType
from placewise.core.scope import Scope, current
from placewise.data import iterators_v1
from placewise.data.construction import input_seeds, int64
from placewise.data.dataset import DatasetV2
from placewise.data.engine import order as engine
from placewise.ops.sparse.sparse_tensor import SparseTensor


class DatasetV1(DatasetV2):
    """A sequence of elements, maybe endless, each a structure of tensors."""

    _is_v1 = True
    _shuffled: Any = None

    @classmethod
    def _base(cls) -> Any:
        return DatasetV1

    @classmethod
    def _adapter(cls) -> Any:
        return DatasetV1Adapter

    def make_one_shot_iterator(self) -> Any:
        """Return an iterator that begins by itself and goes through the dataset once."""
        return iterators_v1.make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Return an iterator that begins when its `initializer` is run."""
        return iterators_v1.make_initializable_iterator(self, shared_name)

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements' parts."""
        return iterators_v1.output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements' parts."""
        return iterators_v1.output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements' parts."""
        return iterators_v1.output_classes(self)

    @classmethod
    def from_sparse_tensor_slices(cls, sparse_tensor: Any) -> Any:
        """Return the rows of a sparse tensor; TypeError for anything else."""
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                "Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got "
                f"{type(sparse_tensor)}."
            )
        return cls.from_tensor_slices(sparse_tensor)

    def map_with_legacy_function(
        self, map_func: Any, num_parallel_calls: Any = None, deterministic: Any = None
    ) -> Any:
        """Return what a function gives for each element; the older name."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate: Any) -> Any:
        """Return the elements for which a function is true; the older name."""
        return self.filter(predicate)

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Return the elements in random order, each chosen among the next `buffer_size`."""
        seeds = input_seeds(seed)
        again = reshuffle_each_iteration is not False
        made = self._same(
            "_ShuffleDataset",
            engine.Shuffle,
            int64(buffer_size),
            *seeds,
            reshuffle_each_iteration=again,
            name=name,
        )
        if again and current.interpreter is not Scope.eager:
            made._shuffled = (self, int64(buffer_size), seeds)
        return made

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """Return the elements `count` times; for ever if it is None or -1."""
        if self._shuffled is None:
            return super().repeat(count, name)
        # TensorFlow 1 runs the two as one, whose random numbers go on from epoch to epoch.
        source, size, seeds = self._shuffled
        return source._same(
            "_RepeatDataset",
            engine.ShuffleAndRepeat,
            size,
            *seeds,
            int64(-1 if count is None else count),
            reshuffle_each_iteration=True,
            name=name,
        )

    def __iter__(self) -> Any:
        if current.interpreter is Scope.eager or current.interpreter.is_function:
            return super().__iter__()
        raise RuntimeError(
            "__iter__() is only supported inside of tf.function or when eager execution is enabled."
        )

    def __repr__(self) -> str:
        shapes = nest.map_structure(_ShownShape, iterators_v1.output_shapes(self))
        return (
            f"<{type(self).__name__} shapes: {shapes}, types: "
            f"{_named(iterators_v1.output_types(self))}>"
        )

    __str__ = __repr__


class DatasetV1Adapter(DatasetV1):
    """What the methods of a TensorFlow 1 dataset return."""


def _named(types: DType) -> Any:
    """Return dtypes as they are shown: tf.int64."""
    return nest.map_structure(_Shown, types)


class _ShownShape:
    def __init__(self, shape: Any) -> None:
        self._text = str(shape)

    def __repr__(self) -> str:
        return self._text


class _Shown:
    def __init__(self, dtype: Any) -> None:
        self._text = "None" if dtype is None else f"tf.{dtype.name}"

    def __repr__(self) -> str:
        return self._text


for _each in (DatasetV1, DatasetV1Adapter):
    _each.__module__ = "tensorflow.python.data.ops.dataset_ops"
