"""Iterators over distributed datasets as TensorFlow 1 has them: begun by operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.scope import Scope, current
from placewise.data.dataset import DatasetV2
from placewise.data.dataset_v1 import DatasetV1
from placewise.data.iterators_v1 import make_initializable_iterator
from placewise.distribute.input import DistributedIterable, DistributedIterator
from placewise.distribute.values import regrouped
from placewise.eager.device_scope import device


class InputIterator(DistributedIterator):
    """An iterator of a graph over a distributed dataset."""

    def initialize(self) -> list[Any]:
        """Return the operations that begin it."""
        return [self._iterator.initializer]

    @property
    def initializer(self) -> list[Any]:
        """The operations that begin it; the older name."""
        return self.initialize()


class EagerInputIterator(DistributedIterator):
    """An iterator of eager code over a distributed dataset."""

    def initialize(self) -> list[Any]:
        """Begin anew."""
        self._iterator = iter(self._iterable._dataset)
        return []

    @property
    def initializer(self) -> list[Any]:
        """Begin anew; the older name."""
        return self.initialize()


class CallableIterator:
    """Calls a function for each replica's part of an element, on the host."""

    def __init__(self, function: Callable[[], Any], replicas: int) -> None:
        self._function, self._replicas = function, replicas

    def initialize(self) -> list[Any]:
        """Return the operations that begin it: none."""
        return []

    @property
    def initializer(self) -> list[Any]:
        """The operations that begin it: none."""
        return []

    def __iter__(self) -> CallableIterator:
        return self

    def __next__(self) -> Any:
        return self.get_next()

    def get_next(self) -> Any:
        """Return what the function gives, once for each replica."""
        with device("/device:CPU:0"):
            parts = [self._function() for _ in range(self._replicas)]
        return regrouped(parts, always=True)


def dataset_iterator(strategy: Any, dataset: Any) -> Any:
    """Return an iterator over global batches, a part for each replica."""
    return _started(strategy.experimental_distribute_dataset(dataset))


def input_fn_iterator(strategy: Any, input_fn: Callable[..., Any]) -> Any:
    """Return an iterator over the batches of a dataset, or the results of a function."""
    made: list[Any] = []

    def once(context: Any) -> Any:
        made.append(input_fn(context))
        return made[-1] if isinstance(made[-1], DatasetV2) else DatasetV1.range(0)

    distributed = strategy.distribute_datasets_from_function(once)
    if made and not isinstance(made[0], DatasetV2):
        if not callable(made[0]):
            raise ValueError("input_fn must return a tf.data.Dataset or a callable.")
        return CallableIterator(made[0], strategy.extended.local_count)
    return _started(distributed)


def _started(distributed: DistributedIterable) -> Any:
    if current.interpreter is Scope.eager:
        return EagerInputIterator(distributed, iter(distributed._dataset))
    return InputIterator(distributed, make_initializable_iterator(distributed._dataset))
