"""TensorFlow 1's strategies: the same ones, with the calls that TensorFlow 2 renamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placewise.core.scope import Scope, current
from placewise.data.dataset import DatasetV2
from placewise.data.dataset_v1 import DatasetV1
from placewise.data.iterators_v1 import make_initializable_iterator
from placewise.distribute import mirrored, multi_worker_experimental, one_device, strategy
from placewise.distribute.input import (
    DistributedIterable,
    DistributedIterator,
    InputReplicationMode,
)
from placewise.distribute.reduce_op import ReduceOp
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


class Strategy(strategy.Strategy):
    """A strategy as TensorFlow 1 calls it."""

    def experimental_run_v2(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Call `fn` once for every replica; the old name of `run`."""
        return self.run(fn, args, kwargs)

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Return the sum or mean of the replicas' values, and over an axis of each."""
        return super().reduce(reduce_op, value, axis)

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Any:
        """Return a dataset of the rows of arrays."""
        return DatasetV1.from_tensor_slices(numpy_input)

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """Return an iterator over global batches, a part for each replica.

        In a graph `initialize()` returns the operations that begin it.
        """
        return self._started(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(
        self, input_fn: Callable[..., Any], replication_mode: Any = InputReplicationMode.PER_WORKER
    ) -> Any:
        """Return an iterator over the batches of the dataset that `input_fn(context)` makes.

        Every replica takes a batch of its own. `input_fn` may also return a function, which is
        called for each batch of each replica. In a graph `initialize()` returns the operations
        that begin it.
        """
        made: list[Any] = []

        def once(context: Any) -> Any:
            made.append(input_fn(context))
            return made[-1] if isinstance(made[-1], DatasetV2) else DatasetV1.range(0)

        distributed = self.distribute_datasets_from_function(once)
        if made and not isinstance(made[0], DatasetV2):
            if not callable(made[0]):
                raise ValueError("input_fn must return a tf.data.Dataset or a callable.")
            return CallableIterator(made[0], self.extended.local_count)
        return self._started(distributed)

    @staticmethod
    def _started(distributed: DistributedIterable) -> Any:
        if current.interpreter is Scope.eager:
            return EagerInputIterator(distributed, iter(distributed._dataset))
        return InputIterator(distributed, make_initializable_iterator(distributed._dataset))

    def experimental_initialize(self) -> list[Any]:
        """Return the ops that make the strategy ready: none."""
        return []

    def experimental_finalize(self) -> list[Any]:
        """Return the ops that end it: none."""
        return []


class MirroredStrategy(Strategy, mirrored.MirroredStrategy):
    """MirroredStrategy as TensorFlow 1 calls it."""


class OneDeviceStrategy(Strategy, one_device.OneDeviceStrategy):
    """OneDeviceStrategy as TensorFlow 1 calls it."""


class CentralStorageStrategy(Strategy, one_device.CentralStorageStrategy):
    """CentralStorageStrategy as TensorFlow 1 calls it."""


class MultiWorkerMirroredStrategy(Strategy, multi_worker_experimental.MultiWorkerMirroredStrategy):
    """MultiWorkerMirroredStrategy as TensorFlow 1 calls it: with the way machines talk."""


def get_loss_reduction() -> Any:
    """Return how losses of replicas come together: by their sum."""
    return ReduceOp.SUM


_HERE = "tensorflow.python.distribute."
for _kind, _file in (
    (Strategy, "distribute_lib"),
    (MirroredStrategy, "mirrored_strategy"),
    (OneDeviceStrategy, "one_device_strategy"),
    (CentralStorageStrategy, "central_storage_strategy"),
    (MultiWorkerMirroredStrategy, "collective_all_reduce_strategy"),
):
    _kind.__module__ = _HERE + _file
    _kind.__name__ = _kind.__qualname__ = f"{_kind.__name__}V1"
