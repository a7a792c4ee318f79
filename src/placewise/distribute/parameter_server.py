"""`tf.distribute.ParameterServerStrategy`: variables on parameter servers, steps on workers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.log import get_logger
from placewise.core.shapes import TensorShape
from placewise.distribute.input import InputContext
from placewise.distribute.one_device import OneDeviceExtended
from placewise.distribute.partitioners import Partitioner
from placewise.distribute.sharded_variable import ShardedVariable
from placewise.distribute.strategy import Strategy
from placewise.eager.device_scope import device
from placewise.ops.convert import convert_to_tensor


class Scheduled(threading.local):
    """Whether this thread runs a step that a coordinator scheduled."""

    is_running = False


scheduled = Scheduled()
_JOBS = ("chief", "worker", "ps", "evaluator")


class UnreadableDataset:
    """What a dataset is that was distributed here, for the coordinator to make on each worker."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        return self.make().element_spec

    def __iter__(self) -> Any:
        raise ValueError(
            "To use this dataset, you need to pass this dataset to "
            "ClusterCoordinator.create_per_worker_dataset."
        )


class ParameterServerExtended(OneDeviceExtended):
    """One replica on whichever worker runs a step; variables on the parameter servers in turn."""

    def __init__(self, device_name: str, workers: int, servers: int, partitioner: Any) -> None:
        super().__init__((device_name,))
        self._num_workers, self._num_ps = workers, servers
        self._partitioner = partitioner
        self._next = itertools.count()

    def make_variable(self, next_creator: Any, options: Any) -> Any:
        """Make a variable on the next parameter server, or its parts on several."""
        initial = options.get("initial_value")
        # Made here, with one message to its server, and not op by op over there.
        value = initial() if callable(initial) else initial
        options = {**options, "initial_value": convert_to_tensor(value, options.get("dtype"))}
        if options.pop("per_worker_variable", False):
            from placewise.distribute.worker_variable import make_per_worker  # noqa: PLC0415 - keeps gRPC out of tf.distribute
            from placewise.remote.connection import tasks_of  # noqa: PLC0415 - as above

            made: Any = make_per_worker(tasks_of("worker"), options)
            made._distribute_strategy = self._strategy
            return made
        counts = self._parts(options)
        if counts is not None:
            return self._sharded(next_creator, options, counts)
        return self._placed(next_creator, options)

    def _parts(self, options: dict[str, Any]) -> int | None:
        """Return into how many parts a variable is cut along its first axis; None: it is not."""
        value = options["initial_value"]
        shape = value.shape if options.get("shape") is None else TensorShape(options["shape"])
        if self._partitioner is None or not shape.rank:
            return None
        numbers = [int(number) for number in self._partitioner(shape=shape, dtype=value.dtype)]
        if any(number > 1 for number in numbers[1:]):
            raise ValueError(
                f"variable_partitioner may only cut the first axis, not {numbers} of {shape}"
            )
        return numbers[0] if numbers[0] > 1 else None

    def _sharded(self, next_creator: Any, options: Any, count: int) -> Any:
        value = options["initial_value"]
        rows, rest = divmod(int(value.shape[0]), count)
        name = options.get("name") or "Variable"
        parts, begin = [], 0
        for number in range(count):
            end = begin + rows + (number < rest)
            part = {**options, "initial_value": value[begin:end], "shape": None}
            part["name"] = f"{name}/part_{number}"
            parts.append(self._placed(next_creator, part))
            begin = end
        return ShardedVariable(parts, name)

    def _placed(self, next_creator: Any, options: Any) -> Any:
        number = next(self._next) % self._num_ps
        with device(f"/job:ps/replica:0/task:{number}/device:CPU:0"):
            made = next_creator(**options)
        made._distribute_strategy = self._strategy
        return made

    def distributed_dataset(self, dataset: Any, options: Any) -> Any:
        """Return a dataset that says what to do with it: workers read their own."""
        return UnreadableDataset(lambda: dataset)

    def dataset_from_function(self, dataset_fn: Any, options: Any) -> Any:
        """Return a dataset that says what to do with it: workers make their own."""
        # Workers are not in step with one another: each has all the pipelines there are.
        replicas = self._strategy.num_replicas_in_sync
        context = InputContext(1, 0, num_replicas_in_sync=replicas)
        return UnreadableDataset(lambda: dataset_fn(context))

    @property
    def should_checkpoint(self) -> bool:
        """True: the coordinator writes checkpoints."""
        return True

    @property
    def experimental_between_graph(self) -> bool:
        """False: one program has it all."""
        return False


class ParameterServerStrategyV2(Strategy):
    """Asynchronous training: workers run steps that a coordinator schedules.

    `cluster_resolver`: names the workers (`worker`), the parameter servers (`ps`) and this process,
        the `chief`. The others run `tf.distribute.Server(...).join()`; making the strategy waits
        for them.
    `variable_partitioner`: cuts variables made in the scope along their first axis, into parts on
        several parameter servers (`tf.distribute.experimental.partitioners`).

    Steps are scheduled with `tf.distribute.coordinator.ClusterCoordinator`. Raises ValueError for a
    cluster without workers or parameter servers, DeadlineExceededError with the name of a task that
    does not come.
    """

    _should_use_with_coordinator = True

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        from placewise.remote.connection import connect, tasks_of  # noqa: PLC0415 - keeps gRPC out of tf.distribute

        spec = cluster_resolver.cluster_spec()
        _check(spec, variable_partitioner)
        own = (cluster_resolver.task_type or "chief", cluster_resolver.task_id or 0)
        jobs = {job: tasks for job, tasks in spec._jobs.items() if job in ("worker", "ps")}
        # A worker reaches the parameter servers, and need not wait for other workers.
        filters = {
            f"/job:worker/task:{index}": ["/job:ps", f"/job:worker/task:{index}"]
            for index in jobs["worker"]
        }
        filters |= {f"/job:ps/task:{index}": ["/job:ps"] for index in jobs["ps"]}
        connect(jobs, own, filters)
        workers, servers = tasks_of("worker"), tasks_of("ps")
        extended = ParameterServerExtended(
            f"/device:{workers[0].default.kind}:0",
            len(workers),
            len(servers),
            variable_partitioner,
        )
        super().__init__(extended)
        self._cluster_resolver = cluster_resolver
        self._cluster_coordinator: Any = None
        self._num_workers, self._num_ps = extended._num_workers, extended._num_ps

    def run(self, fn: Any, args: TensorLike = (), kwargs: Any = None, options: Any = None) -> Any:
        """Call `fn` where the step runs; says so if that is no worker."""
        _tell_unscheduled()
        return super().run(fn, args, kwargs, options)

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Return the sum or mean of values of steps; says so if that is computed on no worker."""
        _tell_unscheduled()
        return super().reduce(reduce_op, value, axis)


def _tell_unscheduled() -> None:
    if not scheduled.is_running:
        get_logger().warning(
            "A `tf.distribute.experimental.ParameterServerStrategy` method is invoked without "
            "using `ClusterCoordinator.schedule`. If you are not tracing a tf.function, this "
            "method is possibly executed on the coordinator, which can be slow. To properly "
            "dispatch functions to run on workers, methods like `run` or `reduce` should be used "
            "within a function passed to `tf.distribute.experimental.coordinator."
            "ClusterCoordinator.schedule`."
        )


def _check(spec: Any, partitioner: Any) -> None:
    if not spec:
        raise ValueError(
            hint(
                "Cluster spec must be non-empty in `tf.distribute.cluster_resolver."
                "ClusterResolver`.",
                "set TF_CONFIG, or use placewise run --cluster chief,worker=2,ps",
            )
        )
    for job, what in (("worker", "worker"), ("ps", "ps")):
        if job not in spec.jobs or not spec.num_tasks(job):
            raise ValueError(f"There must be at least one {what}.")
    unknown = [job for job in spec.jobs if job not in _JOBS]
    if unknown:
        raise ValueError(f"Disallowed task type found in cluster spec: {unknown[0]}")
    if partitioner is not None and not callable(partitioner):
        raise ValueError(
            f"variable_partitioner must be a {Partitioner.__name__} or callable, got "
            f"{partitioner!r}"
        )


for _kind in (ParameterServerStrategyV2, ParameterServerExtended):
    _kind.__module__ = "tensorflow.python.distribute.parameter_server_strategy_v2"
