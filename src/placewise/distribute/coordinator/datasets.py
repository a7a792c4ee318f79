"""Datasets of which each worker has its own, and the number of a worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core import dtypes
from placewise.data.dataset import DatasetV2
from placewise.eager.device_scope import device
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state import resource
from placewise.ops.values import wrap
from placewise.remote.calls import Call
from placewise.remote.values import RemoteHandle


class WorkerIndex(threading.local):
    """Which worker, of how many, this thread makes a dataset or runs a step for."""

    worker: tuple[int, int] | None = None
    handle: Any = None  # of the variable that has the number, in steps


_READ_AHEAD = 2
_NUMBER = "placewise/worker_index"
_index = WorkerIndex()


@contextmanager
def as_worker(number: int, count: int, handle: Any = None) -> Iterator[None]:
    """Let `get_current_worker_index` return a number in this thread."""
    before = _index.worker, _index.handle
    _index.worker, _index.handle = (number, count), handle
    try:
        yield
    finally:
        _index.worker, _index.handle = before


def get_current_worker_index() -> Any:
    """Return the number of the worker that makes a dataset or runs a step now.

    Call it in a `dataset_fn` of `create_per_worker_dataset` or a `tf.function` that is scheduled.
    Raises RuntimeError anywhere else.
    """
    if _index.worker is None:
        raise RuntimeError(
            "Cannot retrieve the worker index. `get_worker_idx_and_num_workers` should be called "
            "from within a tf.function being executed on a worker. This method should only be "
            "called from either a dataset_fn that is passed into "
            "`ClusterCoordinator.create_per_worker_dataset`, or a tf.function that is passed into "
            "`ClusterCoordinator.schedule`."
        )
    if _index.handle is None:
        return _index.worker[0]
    # A trace serves all workers: each has its number in a variable.
    return resource.read_variable(_index.handle, dtype=dtypes.int64)


def keep_number(worker: Any) -> Any:
    """Put the number of a worker into a variable there; return the variable, the same for all."""
    attrs = {"dtype": dtypes.int64, "shape": (), "shared_name": _NUMBER, "container": ""}
    handle = RemoteHandle(resource.var_handle.op, attrs, worker.task.devices[0], False)
    call = Call("")
    with call.graph.as_default():
        number = convert_to_tensor(worker.number, dtypes.int64)
        call.targets = [resource.assign_variable(call.state(handle), number)]
    worker.task.run_once(call)
    return wrap(handle, worker.task.devices[0])


class PerWorkerIterator:
    """An iterator on every worker; pass it to `schedule`."""

    def __init__(self, dataset: PerWorkerDataset) -> None:
        self._dataset = dataset
        self._made: dict[int, Any] = {}

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        return self._dataset.element_spec

    def _of(self, worker: Any) -> Any:
        """Return the iterator of a worker, which begins when it is first asked for."""
        if worker.number not in self._made:
            self._made[worker.number] = self._dataset.begin(worker)
        return self._made[worker.number]

    def __iter__(self) -> PerWorkerIterator:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError(
            "Iterating over an `AsyncDistributedIterator` is not supported right now."
        )

    def get_next(self, name: str | None = None) -> Any:
        """Not possible: a step on a worker takes the next element."""
        return self.__next__()


class PerWorkerDataset:
    """A dataset of which every worker has its own: `iter` gives an iterator for each.

    The elements are read in this process and sent to the worker with each step.
    """

    def __init__(self, dataset_fn: Callable[[], Any], workers: int) -> None:
        self._function, self._workers = dataset_fn, workers
        with as_worker(0, workers):
            self.element_spec = self._dataset().element_spec

    def _dataset(self) -> Any:
        made = self._function()
        if not isinstance(made, DatasetV2):
            raise ValueError(f"dataset_fn must return a tf.data.Dataset, not {made!r}")
        return made

    def begin(self, worker: Any) -> Any:
        """Return an iterator over the dataset of a worker; a few elements are read ahead."""
        with as_worker(worker.number, self._workers), device(None):
            return iter(self._dataset().prefetch(_READ_AHEAD))

    def __iter__(self) -> PerWorkerIterator:
        return PerWorkerIterator(self)


PerWorkerIterator.__name__ = "PerWorkerDistributedIterator"
PerWorkerDataset.__name__ = "PerWorkerDatasetFromDatasetFunction"
for _kind in (PerWorkerIterator, PerWorkerDataset):
    _kind.__module__ = "tensorflow.python.distribute.coordinator.values"
