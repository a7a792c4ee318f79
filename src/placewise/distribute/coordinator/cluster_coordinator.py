"""`tf.distribute.coordinator.ClusterCoordinator`: schedules steps on the workers of a cluster."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.data.dataset import DatasetV2
from placewise.distribute.coordinator.closures import Closure, ClosureQueue
from placewise.distribute.coordinator.datasets import PerWorkerDataset
from placewise.distribute.coordinator.tasks import tasks_of
from placewise.distribute.coordinator.values import PerWorkerValues, RemoteValue
from placewise.distribute.coordinator.workers import Worker
from placewise.distribute.parameter_server import ParameterServerStrategyV2, UnreadableDataset
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.polymorphic import Function

_MOST_WAITING = 256


class ClusterCoordinator:
    """Runs `tf.function`s on the workers of a ParameterServerStrategy, each on one that is free.

    A worker that is lost does no harm: its step runs on another, and it is used again when it is
    back. An error of a step is raised by the next `schedule`, `join` or `done`; what waits or runs
    then is cancelled. A parameter server that is lost ends it: UnavailableError with its name.
    """

    def __new__(cls, strategy: Any) -> ClusterCoordinator:
        """Return the one coordinator of a strategy."""
        if not isinstance(strategy, ParameterServerStrategyV2):
            raise ValueError(
                "Only `tf.distribute.experimental.ParameterServerStrategy` is supported to work "
                "with `tf.distribute.experimental.coordinator.ClusterCoordinator` currently."
            )
        if strategy._cluster_coordinator is None:
            strategy._cluster_coordinator = super().__new__(cls)
        known: ClusterCoordinator = strategy._cluster_coordinator
        return known

    def __init__(self, strategy: Any) -> None:
        if hasattr(self, "_queue"):
            return
        self._strategy = strategy
        self._queue = ClosureQueue(_MOST_WAITING)
        self._workers = [
            Worker(number, task, self._queue, strategy)
            for number, task in enumerate(tasks_of("worker"))
        ]
        weakref.finalize(self, self._queue.close)

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    def schedule(self, fn: Any, args: Any = None, kwargs: Any = None) -> RemoteValue:
        """Let a worker call a `tf.function`; return at once, with what will be its result.

        Of per-worker datasets and values among the arguments the worker gets its own. Raises the
        error of an earlier step.
        """
        if not isinstance(fn, (Function, ConcreteFunction)):
            raise TypeError(
                "`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only accepts "
                "a `tf.function` or a concrete function."
            )
        closure = Closure(fn, args or (), kwargs or {})
        if any(isinstance(part, RemoteValue) for part in nest.flatten((args, kwargs))):
            raise ValueError(
                "`tf.distribute.experimental.coordinator.RemoteValue` used as an input to "
                "scheduled function is not yet supported; fetch it first."
            )
        self._queue.put(closure)
        return closure.result

    def join(self) -> None:
        """Wait until all scheduled steps have run; raise the error of the first that failed."""
        self._queue.join()

    def done(self) -> bool:
        """Return whether all scheduled steps have run; raise the error of one that failed."""
        return self._queue.done()

    def fetch(self, val: Any) -> Any:
        """Return a structure with the results of steps in it as NumPy values, waiting for them."""
        return nest.map_structure(
            lambda part: part.fetch() if isinstance(part, RemoteValue) else part, val
        )

    def create_per_worker_dataset(self, dataset_fn: Any) -> Any:
        """Return a dataset of which every worker has its own.

        `dataset_fn`: a function that returns a dataset, which each worker makes and reads itself,
            or a dataset, distributed by the strategy or not. Where Python functions are called for
            the elements, and of a dataset, this process reads them and sends them with each step.
        """
        if isinstance(dataset_fn, Function):  # each worker makes its own, as of its number
            dataset_fn = dataset_fn.python_function
        if isinstance(dataset_fn, (DatasetV2, UnreadableDataset)):
            dataset = dataset_fn
            return PerWorkerDataset(lambda: dataset, len(self._workers))
        if not callable(dataset_fn):
            raise ValueError("Unexpected dataset type!")
        return PerWorkerDataset(dataset_fn, len(self._workers))

    def _create_per_worker_resources(
        self, fn: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> Any:
        """Return what a function makes on each worker."""
        closure = Closure(fn, args or (), kwargs or {})
        return PerWorkerValues([worker._called(closure) for worker in self._workers])


ClusterCoordinator.__module__ = "tensorflow.python.distribute.coordinator.cluster_coordinator"
