"""`tf.distribute.Strategy`: what all strategies have in common.

The public object is thin; `extended` holds what differs from strategy to strategy.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.scope import Scope, current
from placewise.devices.names import merge_graph
from placewise.distribute import input as inputs
from placewise.distribute import lazy
from placewise.distribute.context import Place, current_place, entered, require_cross_replica
from placewise.distribute.cross_device_ops import CrossDeviceOps, spread
from placewise.distribute.drift import drift_of
from placewise.distribute.reduce_op import ReduceOp, as_reduce_op
from placewise.distribute.replica_context import MirroredReplicaContext, as_traced
from placewise.distribute.replicas import run_replicas
from placewise.distribute.values import DistributedValues, PerReplica, regrouped
from placewise.distribute.variables import DistributedVariable, MirroredVariable, make
from placewise.eager.device_scope import device
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group
from placewise.ops.flow.order import group as grouped
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_sum

if TYPE_CHECKING:
    from placewise.data.dataset import DatasetV2
    from placewise.distribute.input import InputOptions
    from placewise.graph.resource_variables import ResourceVariable


class Strategy:
    """Says on which devices a program's replicas run, and what their variables are."""

    # Keras 2 asks: True where a coordinator hands steps to workers.
    _should_use_with_coordinator = False

    def __init__(self, extended: Any) -> None:
        self._extended = extended
        extended._strategy = self
        self._cluster_resolver: Any = None

    @property
    def extended(self) -> Any:
        """What libraries use of the strategy."""
        return self._extended

    @property
    def cluster_resolver(self) -> Any:
        """What knows the machines of the cluster; None on one machine."""
        return self._cluster_resolver

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are, on all machines."""
        count: int = self._extended.replica_count
        return count

    def scope(self) -> Any:
        """Return a context in which variables are the strategy's."""
        return _ScopeOf(self)

    def run(self, fn: Any, args: TensorLike = (), kwargs: Any = None, options: Any = None) -> Any:
        """Call `fn` once for every replica, each on its device."""
        require_cross_replica(self)
        if not isinstance(args, (list, tuple)):
            raise ValueError(
                hint(
                    f"positional args must be a list or tuple, got {type(args)}",
                    "strategy.run(fn, args=(x,)) passes one argument",
                )
            )
        if not callable(fn):
            raise TypeError(f"{type(fn).__name__!r} object is not callable")
        with self.scope():
            result = self._extended.call_for_each_replica(as_traced(fn), tuple(args), kwargs or {})
        if self._extended.drift is not None:
            self._extended.drift.after_step()
        return result

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Return the sum or mean of the replicas' values, and over an axis of each."""
        require_cross_replica(self)
        reduce_op = as_reduce_op(reduce_op)
        with entered(Place(self, None)):
            return nest.map_structure(lambda each: self._reduced(reduce_op, each, axis), value)

    def _reduced(self, reduce_op: ReduceOp, value: Any, axis: Any) -> Any:
        extended = self._extended
        if axis is None:
            return extended.reduced(reduce_op, value)
        several = extended.local_count
        parts = value.values if isinstance(value, DistributedValues) else (value,) * several
        parts = [convert_to_tensor(part) for part in parts]
        if parts[0].shape.rank == 0 and axis == 0 and extended._in_multi_worker_mode():
            # Keras asks so for the mean of its losses, which are scalars.
            return extended.reduced(reduce_op, _each(parts))
        total = extended.reduced(ReduceOp.SUM, _each([reduce_sum(part, axis) for part in parts]))
        if reduce_op is ReduceOp.SUM:
            return total
        counts = [_rows(part, axis, total.dtype) for part in parts]
        return total / extended.reduced(ReduceOp.SUM, _each(counts))

    def gather(self, value: Any, axis: int) -> Any:
        """Return the replicas' values one after the other along an axis."""
        place = current_place()
        if place is not None and place.replica is not None:
            raise RuntimeError(
                "tf.distribute.Strategy.gather method requires cross-replica context, use "
                "get_replica_context().all_gather() instead"
            )
        require_cross_replica(self)
        with entered(Place(self, None)):
            return nest.map_structure(lambda each: self._extended.gathered(each, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of this machine's replicas."""
        if isinstance(value, DistributedValues):
            return value.values
        return (value,)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """Return the values of this machine's replicas; the old name."""
        return self.experimental_local_results(value)

    def group(self, value: Any, name: str | None = None) -> Any:
        """Return an operation that runs after all parts of a value."""
        return group(*self.experimental_local_results(value), name=name)

    # Data.

    def experimental_distribute_dataset(
        self, dataset: DatasetV2, options: InputOptions | None = None
    ) -> Any:
        """Return a dataset whose global batches come split, a part for each replica."""
        inputs.refuse_per_replica(options, "`distribute_datasets_from_function`")
        return self._extended.distributed_dataset(dataset, options)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """Return a dataset of which every replica takes a batch of its own in turn.

        With `InputReplicationMode.PER_REPLICA` the function is called for each replica, which then
        takes the batches of its own dataset.
        """
        inputs.check_options(options)
        return self._extended.dataset_from_function(dataset_fn, options)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """Return an iterator over global batches, a part for each replica.

        In a graph `initialize()` returns the operations that begin it.
        """
        return lazy.dataset_iterator(self, dataset)

    def make_input_fn_iterator(
        self,
        input_fn: Callable[..., Any],
        replication_mode: Any = inputs.InputReplicationMode.PER_WORKER,
    ) -> Any:
        """Return an iterator over the batches of the dataset that `input_fn(context)` makes.

        Every replica takes a batch of its own. `input_fn` may also return a function, which is
        called for each batch of each replica. In a graph `initialize()` returns the operations
        that begin it.
        """
        if replication_mode is not inputs.InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode}")
        return lazy.input_fn_iterator(self, input_fn)

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """Return what `value_fn(context)` gives for every replica."""
        count = self._extended.local_count
        found = [
            value_fn(
                inputs.ValueContext(self._extended.first_replica + index, self.num_replicas_in_sync)
            )
            for index in range(count)
        ]
        if current.interpreter is not Scope.eager:
            found = nest.map_structure(convert_to_tensor, found)
        return regrouped(found, always=True)

    def experimental_run(self, fn: Any, input_iterator: Any = None) -> Any:
        """Call `fn` on the next batch for every replica."""
        args = () if input_iterator is None else (input_iterator.get_next(),)
        return self.run(fn, args)

    # Settings of sessions and clusters.

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: Any = None,
        task_id: Any = None,
    ) -> None:
        """Take in the cluster; a strategy of one machine needs none."""

    def update_config_proto(self, config_proto: Any) -> Any:
        """Return a session's settings as the strategy wants them."""
        return config_proto

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """Return a context in which variables are made where another is."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


class _ScopeOf:
    """`with strategy.scope():`, which may be entered again inside itself."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        self._stack: list[Any] = []

    def __enter__(self) -> Any:
        place = current_place()
        strategy = self._strategy
        if place is not None and place.strategy is not strategy:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {place.strategy} is not "
                f"{strategy}"
            )
        if place is not None and place.replica is not None:
            raise RuntimeError(
                "Method requires being in cross-replica context, use "
                "get_replica_context().merge_call()"
            )
        scope = entered(Place(strategy, None))
        scope.__enter__()
        before = current.variable_creators
        is_first = place is None
        if is_first:
            current.variable_creators = (*before, strategy.extended.creator)
        default = strategy.extended.default_device()
        within = device(default) if default is not None and is_first else None
        if within is not None:
            within.__enter__()
        self._stack.append((scope, before, is_first, within))
        return strategy

    def __exit__(self, *exception: Any) -> None:
        scope, before, is_first, within = self._stack.pop()
        if within is not None:
            within.__exit__(*exception)
        if is_first:
            current.variable_creators = before
        scope.__exit__(*exception)


def _no_answer(function: Any, device: str) -> str:
    """Return the device so far, for a function that decides op by op."""
    return device


class StrategyExtended:
    """What differs between strategies: devices, variables, reductions."""

    is_alone = False  # is there but one replica in all?
    lifts_functions = True  # is a tf.function of all replicas one graph, on the caller's device?
    is_watched = False  # was the watchdog told that there are replicas?
    first_replica = 0  # the number of this machine's first replica among all
    replica_kind: Any = MirroredReplicaContext

    def __init__(self, devices: tuple[str, ...], cross_device_ops: Any = None) -> None:
        self._devices = devices
        self._strategy: Any = None
        self.cross_device_ops = cross_device_ops or CrossDeviceOps()
        self.drift = drift_of(self)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of this machine's replicas."""
        return self._devices

    @property
    def local_count(self) -> int:
        """How many replicas there are on this machine."""
        return len(self._devices)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices variables are on."""
        return self._devices

    @property
    def replica_count(self) -> int:
        """How many replicas there are, on all machines."""
        return len(self._devices)

    @property
    def _num_replicas_in_sync(self) -> int:
        return self.replica_count

    @property
    def experimental_require_static_shapes(self) -> bool:
        """False: shapes may be known late."""
        return False

    @property
    def experimental_between_graph(self) -> bool:
        """Does every machine build a graph of its own?"""
        return False

    @property
    def should_checkpoint(self) -> bool:
        """Does this process write checkpoints?"""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Does this process write summaries?"""
        return True

    experimental_should_init = True

    def _in_multi_worker_mode(self) -> bool:
        return False

    def _use_merge_call(self) -> bool:
        return True

    def _container_strategy(self) -> Any:
        return self._strategy

    def default_device(self) -> str | None:
        """Return where ops of the scope go that ask for nothing."""
        return None

    # Variables.

    def creator(self, next_creator: Callable[..., Any], **options: Any) -> Any:
        """Make a variable in the strategy's scope."""
        place = current_place()
        if place is None or place.strategy is not self._strategy:
            return next_creator(**options)
        if place.replica is None or place.replica.meeting is None:
            return self.make_variable(next_creator, options)
        return place.replica.meeting.shared_variable(
            place.replica.index,
            str(options.get("name") or "Variable"),
            lambda: self.make_variable(next_creator, options),
        )

    def make_variable(self, next_creator: Callable[..., Any], options: Any) -> Any:
        """Make a variable with a part on each of this machine's devices."""
        made = make(self._strategy, self.parameter_devices, next_creator, options)
        if self.drift is not None and isinstance(made, MirroredVariable):
            self.drift.add(made)
        return made

    def variable_created_in_scope(self, v: ResourceVariable) -> bool:
        """Return True if a variable is this strategy's."""
        return getattr(v, "_distribute_strategy", None) is self._strategy

    def colocate_vars_with(self, colocate_with_variable: ResourceVariable) -> Any:
        """Return a context in which variables are made where another is."""
        return contextlib.nullcontext()

    def value_container(self, value: ResourceVariable) -> Any:
        """Return the distributed variable that a value is a part of, or the value."""
        container = getattr(value, "_distributed_container", None)
        return value if container is None else container()

    def read_var(self, v: Any) -> Any:
        """Return the value of a variable, as all replicas see it."""
        return v._get_cross_replica() if hasattr(v, "_get_cross_replica") else v.value()

    # Running.

    def call_for_each_replica(self, fn: Any, args: TensorLike = (), kwargs: Any = None) -> Any:
        """Call `fn` once for every replica of this machine."""
        return run_replicas(self._strategy, fn, args, kwargs or {})

    def update(
        self, var: Any, fn: Any, args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """Call `fn(part, *args)` for every part of a variable, on its device."""
        if not isinstance(var, DistributedVariable):
            return fn(var, *args, **(kwargs or {}))
        found = []
        for index, part in enumerate(var.values):
            own = _parts_of(index, tuple(args))
            named = _parts_of(index, dict(kwargs or {}))
            with device(part.device or None), entered(Place(self._strategy, None, index)):
                found.append(fn(part, *own, **named))
        return _together(found, group)

    def update_non_slot(
        self,
        colocate_with: Sequence[Any],
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Call `fn` on each of some devices, for state that belongs to no variable."""
        if isinstance(colocate_with, str) or len(colocate_with) == 1:
            return fn(*args, **(kwargs or {}))
        found = []
        for index, where in enumerate(colocate_with):
            own, named = _parts_of(index, tuple(args)), _parts_of(index, dict(kwargs or {}))
            with device(where), entered(Place(self._strategy, None, index)):
                found.append(fn(*own, **named))
        return _together(found, group)

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """Return where such state is kept."""
        return self.parameter_devices

    # Reductions.

    def reduced(self, reduce_op: ReduceOp, value: Any) -> Any:
        """Return the sum or mean of a value over all replicas, for the program."""
        return self.reduce_to(reduce_op, value, self._program_device())

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Return the sum or mean of a value where it is asked for."""
        reduce_op = as_reduce_op(reduce_op)
        if not isinstance(value, DistributedValues):
            return self._reduced_plain(reduce_op, value, destinations)
        return self.cross_device_ops.reduce(reduce_op, value, self._places(destinations), options)

    def _reduced_plain(self, reduce_op: ReduceOp, value: TensorLike, destinations: Any) -> Any:
        """Return what a value amounts to that is the same for all replicas."""
        if isinstance(value, (int, float)) and value == 0:
            return value
        if self.replica_count > 1 and reduce_op is ReduceOp.SUM:
            raise ValueError(
                f"A non-DistributedValues value {value!s} cannot be reduced with the given reduce "
                f"op {reduce_op}."
            )
        return spread(value, self._places(destinations)) if hasattr(value, "dtype") else value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Return the sums or means of several values."""
        if not all(isinstance(value, DistributedValues) for value, _ in value_destination_pairs):
            return [self.reduce_to(reduce_op, *pair) for pair in value_destination_pairs]
        pairs = [(value, self._places(where)) for value, where in value_destination_pairs]
        return self.cross_device_ops.batch_reduce(as_reduce_op(reduce_op), pairs, options)

    def first_of_all(self, value: TensorLike) -> Any:
        """Return a value of the first replica of all machines."""
        return value

    def gathered(self, value: Any, axis: int) -> Any:
        """Return the replicas' values one after the other."""
        if not isinstance(value, DistributedValues):
            return value
        with device(self._program_device()):
            return concat(list(value.values), axis)

    def _program_device(self) -> str:
        """Return where a value goes that is for the program: where it asks, else the CPU."""
        graph = current.interpreter.graph
        asked = current.request if graph is None else merge_graph(graph.scopes.devices, _no_answer)
        return asked or self.default_device() or "/device:CPU:0"

    def mirrored(self, value: TensorLike) -> Any:
        """Return a copy of a value for each replica."""
        return spread(value, self._devices)

    def broadcast_to(self, tensor: TensorLike, destinations: MirroredVariable) -> Any:
        """Return a copy of a tensor on each destination."""
        return spread(tensor, self._places(destinations))

    def _places(self, destinations: Any) -> tuple[str, ...]:
        """Return the devices that a destination means: names, or those of a value."""
        if isinstance(destinations, str):
            return (destinations,)
        if isinstance(destinations, DistributedVariable):
            return tuple(part.device for part in destinations.values)
        if isinstance(destinations, DistributedValues):
            return self._devices
        if (
            isinstance(destinations, (list, tuple))
            and destinations
            and isinstance(destinations[0], str)
        ):
            return tuple(destinations)
        return self._devices

    # Data.

    def own_parts(self) -> range:
        """Return which parts of a batch, of as many as there are replicas, this machine takes."""
        return range(self.local_count)

    def distributed_dataset(self, dataset: DatasetV2, options: InputOptions | None) -> Any:
        """Return a dataset whose batches are split among the replicas."""
        return inputs.DistributedDataset(self._strategy, dataset, options=options)

    def dataset_from_function(self, dataset_fn: Callable[..., Any], options: Any) -> Any:
        """Return a dataset of which every replica takes a batch in turn, or one for each."""
        if inputs.is_per_replica(options):
            count = self.replica_count
            contexts = [inputs.InputContext(count, number, count) for number in range(count)]
            datasets = [dataset_fn(context) for context in contexts]
            return inputs.DistributedDatasetsOfReplicas(self._strategy, datasets, options)
        context = inputs.InputContext(1, 0, self.replica_count)
        dataset = dataset_fn(context)
        return inputs.DistributedDatasetsFromFunction(self._strategy, dataset, options=options)


def _together(found: list[Any], group: bool) -> Any:
    """Return what an update gave for each part: all of it, or as one operation."""
    together = regrouped(found)
    if not group:
        return tuple(found) if isinstance(together, DistributedValues) else together

    return nest.map_structure(
        lambda each: grouped(*each.values) if isinstance(each, DistributedValues) else each,
        together,
    )


def _each(values: list[Any]) -> Any:
    """Return the values of this machine's replicas as one value."""
    return PerReplica(values) if len(values) > 1 else values[0]


def _rows(part: Any, axis: Any, dtype: Any) -> Any:
    """Return over how many elements a reduction over `axis` goes."""
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    count = cast(shape_of(part)[axes[0]], dtype)
    for each in axes[1:]:
        count = count * cast(shape_of(part)[each], dtype)
    return count


def _parts_of(index: int, structure: Any) -> Any:
    """Return what one part of a variable is updated with."""

    def one(value: Any) -> Any:
        if isinstance(value, DistributedValues):
            return value.values[index] if index < len(value.values) else value.values[0]
        return value

    return nest.map_structure(one, structure)


Strategy.__module__ = StrategyExtended.__module__ = "tensorflow.python.distribute.distribute_lib"
