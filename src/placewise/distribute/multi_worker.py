"""`tf.distribute.MultiWorkerMirroredStrategy`: replicas on several machines."""

from __future__ import annotations

import logging
from typing import Any

from placewise.devices.inventory import inventory, serve_as
from placewise.distribute import input as inputs
from placewise.distribute import tf_config
from placewise.distribute.collectives import (
    broadcast_from_first,
    gather_over_workers,
    reduce_over_workers,
)
from placewise.distribute.cross_device_ops import spread, total
from placewise.distribute.membership import Membership, membership, torchrun_membership
from placewise.distribute.mirrored import MirroredExtended
from placewise.distribute.options import CommunicationOptions
from placewise.distribute.reduce_op import ReduceOp, as_reduce_op
from placewise.distribute.resolvers import SimpleClusterResolver
from placewise.distribute.shards import sharded
from placewise.distribute.strategy import Strategy
from placewise.distribute.values import DistributedValues
from placewise.distribute.worker_group import group_for, groups
from placewise.eager.device_scope import device
from placewise.ops.array.concat import concat
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.training.cluster import ClusterSpec


class CollectiveAllReduceExtended(MirroredExtended):
    """Replicas on the devices of several machines, which meet over torch.distributed."""

    def __init__(self, member: Membership | None, task: tuple[Any, Any], options: Any) -> None:
        if None not in task:
            serve_as(*task)
        gpus = [each.name for each in inventory().own_of_kind("GPU")]
        super().__init__(tuple(gpus or [inventory().cpu.name]))
        self._member, (self._task_type, self._task_id) = member, task
        self._options = options
        self._group = 0
        self._total = len(self._devices)
        if member is not None:
            self._group = group_for(member, len(self._devices), options.timeout_seconds)
            counts = groups.by_number[self._group].counts
            self._total = sum(counts)
            self.first_replica = sum(counts[: member.rank])
            self.is_alone = False

    @property
    def replica_count(self) -> int:
        """How many replicas there are, on all machines."""
        return self._total

    def default_device(self) -> str | None:
        """Return this worker's first device: one name in a program means its own task's."""
        return None if self._member is None else self._devices[0]

    @property
    def worker_count(self) -> int:
        """How many machines there are."""
        return 1 if self._member is None else self._member.size

    @property
    def worker_rank(self) -> int:
        """Which of them this is."""
        return 0 if self._member is None else self._member.rank

    @property
    def _is_chief(self) -> bool:
        return self.worker_rank == 0 and self._task_type != "evaluator"

    @property
    def should_checkpoint(self) -> bool:
        """Only the chief's checkpoints count."""
        return self._is_chief

    @property
    def should_save_summary(self) -> bool:
        """Only the chief writes summaries."""
        return self._is_chief

    @property
    def experimental_should_init(self) -> bool:  # type: ignore[override]
        """Every worker has its own variables."""
        return True

    @property
    def experimental_between_graph(self) -> bool:
        """True: every machine builds a graph of its own."""
        return True

    def _in_multi_worker_mode(self) -> bool:
        return True

    # Variables.

    def make_variable(self, next_creator: Any, options: Any) -> Any:
        """Make a variable whose value is the first worker's, on all workers."""
        given = options.get("initial_value")
        if self._member is not None and given is not None:
            dtype = options.get("dtype")

            def first_workers() -> Any:
                value = given() if callable(given) else given
                return self.first_of_all(convert_to_tensor(value, dtype))

            options = {**options, "initial_value": first_workers}
        return super().make_variable(next_creator, options)

    def first_of_all(self, value: Any) -> Any:
        """Return a value of the first worker."""
        if self._member is None:
            return value

        return broadcast_from_first(value, self._group)

    # Reductions: on this machine, then over all.

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Return the sum or mean of a value where it is asked for."""
        if self._member is None:
            return super().reduce_to(reduce_op, value, destinations, options)
        return self.batch_reduce_to(reduce_op, [(value, destinations)], options)[0]

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Return the sums or means of several values, which go over the network together."""
        if self._member is None:
            return super().batch_reduce_to(reduce_op, value_destination_pairs, options)

        reduce_op = as_reduce_op(reduce_op)
        here = []
        for value, _ in value_destination_pairs:
            self._check_distributed(reduce_op, value)
            here.append(total(ReduceOp.SUM, value, self._devices[0]))
        divisor = self._total if reduce_op is ReduceOp.MEAN else 1
        if self.local_count > 1:  # a plain value counts once for every replica of a worker
            here = [
                each if isinstance(pair[0], DistributedValues) else each * self.local_count
                for each, pair in zip(here, value_destination_pairs, strict=True)
            ]
        with device(self._devices[0]):
            dense = [i for i, each in enumerate(here) if not isinstance(each, IndexedSlices)]
            sums = (
                reduce_over_workers(
                    [convert_to_tensor(here[i]) for i in dense], self._group, divisor
                )
                if dense
                else []
            )
            found = list(here)
            for index, each in zip(dense, sums, strict=True):
                found[index] = each
            for index, each in enumerate(found):
                if isinstance(each, IndexedSlices):
                    values = gather_over_workers(each.values, self._group, 0)
                    rows = gather_over_workers(each.indices, self._group, 0)
                    values = values / divisor if divisor > 1 else values
                    found[index] = IndexedSlices(values, rows, each.dense_shape)
        return [
            spread(each, self._places(where))
            for each, (_, where) in zip(found, value_destination_pairs, strict=True)
        ]

    def _check_distributed(self, reduce_op: ReduceOp, value: Any) -> None:
        if self.local_count > 1 and not isinstance(value, DistributedValues):
            if reduce_op is ReduceOp.MEAN:
                return
            raise ValueError(
                f"A non-DistributedValues value {value!s} cannot be reduced with the given reduce "
                f"op {reduce_op}."
            )

    def gathered(self, value: Any, axis: int) -> Any:
        """Return the values of all replicas on all machines one after the other."""
        if self._member is None:
            return super().gathered(value, axis)

        with device(self._devices[0]):
            parts = list(value.values) if isinstance(value, DistributedValues) else [value]
            own = concat(parts, axis) if len(parts) > 1 else convert_to_tensor(parts[0])
            return gather_over_workers(own, self._group, axis)

    # Data.

    def own_parts(self) -> range:
        """Return which parts of a batch this machine takes."""
        if self._total == self.worker_count * self.local_count:
            return range(self.worker_rank, self._total, self.worker_count)
        return range(self.first_replica, self.first_replica + self.local_count)

    def distributed_dataset(self, dataset: Any, options: Any) -> Any:
        """Return a dataset that gives this machine's replicas their part of the data."""
        if self._member is None:
            return super().distributed_dataset(dataset, options)

        return sharded(self._strategy, dataset, self.worker_count, self.worker_rank)

    def dataset_from_function(self, dataset_fn: Any, options: Any) -> Any:
        """Return a dataset of which every replica of this machine takes a batch in turn."""
        inputs.refuse_per_replica(options, "tf.distribute.MirroredStrategy")
        if self._member is None:
            return super().dataset_from_function(dataset_fn, options)
        context = inputs.InputContext(self.worker_count, self.worker_rank, self.replica_count)
        return inputs.DistributedDatasetsFromFunction(
            self._strategy, dataset_fn(context), agree=self._group
        )


class MultiWorkerMirroredStrategy(Strategy):
    """Synchronous training on the machines of a cluster, which TF_CONFIG or torchrun names.

    Without either it trains on this machine alone. All workers run the same program; making the
    strategy waits until all are there.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        options = communication_options or CommunicationOptions()
        if not isinstance(options, CommunicationOptions):  # TensorFlow 2.3's: the implementation
            options = CommunicationOptions(implementation=options)
        resolver = cluster_resolver or tf_config.TFConfigClusterResolver()
        spec = resolver.cluster_spec()
        if spec:
            task = (resolver.task_type, resolver.task_id)
            member = membership(spec, *task)
        else:
            member = torchrun_membership()
            task = (None, None)
            if member is not None:
                task = ("worker", member.rank)
                spec = ClusterSpec({"worker": list(member.addresses)})
                resolver = SimpleClusterResolver(spec, task_type="worker", task_id=member.rank)
                member = member if member.size > 1 else None
        self._config_then = tf_config.text()
        self._takes_config = cluster_resolver is None
        super().__init__(CollectiveAllReduceExtended(member, task, options))
        self._cluster_resolver = resolver
        logging.getLogger("tensorflow").info(
            "MultiWorkerMirroredStrategy with %d workers, this is number %d, devices %r",
            self.extended.worker_count,
            self.extended.worker_rank,
            self.extended.worker_devices,
        )

    def scope(self) -> Any:
        """Return a context in which variables are the strategy's."""
        now = tf_config.text()
        if self._takes_config and now is not None and now != self._config_then:
            self._takes_config = False  # said once
            before = "not set" if self._config_then is None else f"{self._config_then}"
            logging.getLogger("tensorflow").warning(
                "TF_CONFIG was changed after MultiWorkerMirroredStrategy was made, which has no "
                "effect: then it was %s, now it is %s. Set it before making the strategy.",
                before,
                now,
            )
        return super().scope()


for _kind in (MultiWorkerMirroredStrategy, CollectiveAllReduceExtended):
    _kind.__module__ = "tensorflow.python.distribute.collective_all_reduce_strategy"
MultiWorkerMirroredStrategy.__name__ = "MultiWorkerMirroredStrategy"
