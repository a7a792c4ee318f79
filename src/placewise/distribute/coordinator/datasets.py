"""Datasets of which each worker has its own, and the number of a worker."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core import dtypes
from placewise.core.errors import OpError
from placewise.data import iterator_ops
from placewise.data.dataset import DatasetV2
from placewise.data.iterators import OwnedIterator
from placewise.data.node_attributes import can_travel
from placewise.data.structure import Structure
from placewise.distribute.parameter_server import UnreadableDataset
from placewise.eager.device_scope import device
from placewise.functions.inline import Inliner, dependencies
from placewise.graph.graph import Graph
from placewise.graph.tensor import GraphTensor
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
_NUMBER_ATTRS = {  # of the variable that has a worker's number, on each
    "dtype": dtypes.int64,
    "shape": (),
    "shared_name": "placewise/worker_index",
    "container": "",
}
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
    handle = RemoteHandle(resource.var_handle.op, _NUMBER_ATTRS, worker.task.devices[0], False)
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
        self._name = f"placewise/iterator/{secrets.token_hex(8)}"
        self._made: dict[int, tuple[int, Any]] = {}  # by worker: its incarnation, the iterator

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        return self._dataset.element_spec

    def _of(self, worker: Any) -> Any:
        """Return the iterator of a worker, which begins when it is first asked for.

        One that was lost with the worker's process begins anew.
        """
        incarnation, iterator = self._made.get(worker.number, (None, None))
        if iterator is None or (incarnation != worker.incarnation and _is_remote(iterator)):
            iterator = self._dataset.begin(worker, self._name)
            self._made[worker.number] = worker.incarnation, iterator
        return iterator

    def __iter__(self) -> PerWorkerIterator:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError(
            "Iterating over an `AsyncDistributedIterator` is not supported right now."
        )

    def get_next(self, name: str | None = None) -> Any:
        """Not possible: a step on a worker takes the next element."""
        return self.__next__()


def _is_remote(iterator: Any) -> bool:
    return isinstance(iterator._iterator_resource._value, RemoteHandle)


class PerWorkerDataset:
    """A dataset of which every worker has its own: `iter` gives an iterator for each.

    It is made and read on the worker. What calls Python functions, and what was made before, cannot
    go there: it is read in this process, and its elements are sent with each step.
    """

    def __init__(self, dataset_fn: Callable[[], Any], workers: int) -> None:
        self._function, self._workers = dataset_fn, workers
        self._variant = self._traced(None)
        if self._variant is None:
            with as_worker(0, workers):
                self.element_spec = self._dataset().element_spec

    def _traced(self, worker: int | None) -> GraphTensor | None:
        """Return the dataset in a graph, for one worker or for all; None if it cannot go there."""
        graph = Graph()
        with graph.as_default(), device(None):
            handle = resource.var_handle.op.bind(**_NUMBER_ATTRS) if worker is None else None
            try:
                with as_worker(worker or 0, self._workers, handle):
                    dataset = self._dataset()
                    variant = dataset.prefetch(_READ_AHEAD)._variant_tensor
            except (NotImplementedError, AttributeError, TypeError, ValueError, OpError):
                return None  # it asks for values, as eager programs may
        if not isinstance(variant, GraphTensor) or not can_travel(graph):
            return None
        self.element_spec = dataset.element_spec
        return variant

    def _dataset(self) -> Any:
        made = self._function()
        if isinstance(made, UnreadableDataset):
            made = made.make()
        if not isinstance(made, DatasetV2):
            raise ValueError(f"dataset_fn must return a tf.data.Dataset, not {made!r}")
        return made

    def begin(self, worker: Any, name: str) -> Any:
        """Return an iterator over the dataset of a worker, which is called `name` there."""
        variant = self._variant
        if variant is None:  # the program may want a worker's number as a number
            variant = self._traced(worker.number)
        if variant is None:
            with as_worker(worker.number, self._workers), device(None):
                return iter(self._dataset().prefetch(_READ_AHEAD))
        worker.task.run_once(self._written(variant, worker, name))
        iterator = wrap(_handle(self.element_spec, name, worker), worker.task.devices[0])
        return OwnedIterator(components=[iterator], element_spec=self.element_spec)

    def _written(self, variant: GraphTensor, worker: Any, name: str) -> Call:
        """Return the graph that begins the dataset on a worker."""
        call = Call(worker.task.devices[0].name)
        with device(None), call.graph.as_default(), call.graph.device(call.device):
            inliner = Inliner(call.graph, "")
            inliner.copy(dependencies([variant], []))
            iterator = call.state(_handle(self.element_spec, name, worker))
            call.targets = [iterator_ops.make_iterator(inliner.tensor(variant), iterator)]
        return call

    def __iter__(self) -> PerWorkerIterator:
        return PerWorkerIterator(self)


def _handle(spec: Any, name: str, worker: Any) -> RemoteHandle:
    """Return the iterator that each worker has under a name."""
    attrs = Structure(spec).attrs
    del attrs["structure"]
    attrs |= {"shared_name": name, "container": ""}
    return RemoteHandle(iterator_ops.iterator.op, attrs, worker.task.devices[0], False)


PerWorkerIterator.__name__ = "PerWorkerDistributedIterator"
PerWorkerDataset.__name__ = "PerWorkerDatasetFromDatasetFunction"
for _kind in (PerWorkerIterator, PerWorkerDataset):
    _kind.__module__ = "tensorflow.python.distribute.coordinator.values"
