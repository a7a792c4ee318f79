"""What a replica can ask and do: which one it is, and meeting the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.autodiff.custom import custom_gradient
from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.scope import current, replaced
from placewise.distribute.context import Place, current_place, entered, require_replica
from placewise.distribute.reduce_op import ReduceOp, as_reduce_op
from placewise.distribute.values import DistributedValues, PerReplica
from placewise.functions.autograph.calls import callee
from placewise.ops.convert import convert_to_tensor


class ReplicaContext:
    """One of the replicas whose code runs in parallel."""

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self.index: int = int(replica_id_in_sync_group or 0)
        self._before: list[Any] = []
        self.meeting: Any = None  # where the replicas' threads meet

    def __enter__(self) -> None:
        scope = entered(Place(self._strategy, self))
        scope.__enter__()
        self._before.append(scope)

    def __exit__(self, *exception: Any) -> None:
        self._before.pop().__exit__(*exception)

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        count: int = self._strategy.num_replicas_in_sync
        return count

    @property
    def replica_id_in_sync_group(self) -> Any:
        """Which replica this is, as a tensor."""
        return convert_to_tensor(self._strategy.extended.first_replica + self.index)

    @property
    def _replica_id(self) -> int:
        return self.index

    @property
    def devices(self) -> tuple[str, ...]:
        """The device this replica's ops run on."""
        require_replica(self)
        return (self._strategy.extended._devices[self.index],)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: TensorLike = (), kwargs: Any = None
    ) -> Any:
        """Call `merge_fn(strategy, *args)` once for all replicas, with everybody's arguments."""
        require_replica(self)
        merge_fn = as_traced(merge_fn)
        if self.meeting is None:
            return _merged_alone(self._strategy, merge_fn, args, kwargs or {})
        return self.meeting.merge(self.index, merge_fn, args, kwargs or {})

    def all_reduce(self, reduce_op: Any, value: TensorLike, options: Any = None) -> Any:
        """Return the sum or mean over all replicas, which every replica gets."""
        require_replica(self)
        reduce_op = as_reduce_op(reduce_op)
        flat = [
            each
            if hasattr(each, "values") and hasattr(each, "indices")
            else convert_to_tensor(each)
            for each in nest.flatten(value)
        ]
        extended = self._strategy.extended
        if extended.is_alone:
            return nest.pack_sequence_as(value, flat) if nest.is_nested(value) else flat[0]

        found = self._all_reduced(reduce_op, flat)
        return nest.pack_sequence_as(value, found) if nest.is_nested(value) else found[0]

    def _all_reduced(self, reduce_op: ReduceOp, flat: list[Any]) -> list[Any]:
        if not current.tapes or any(hasattr(each, "indices") for each in flat):
            return self._met(reduce_op, flat)

        # What comes of all replicas' values passes each one's gradient on to all.
        @custom_gradient
        def reduced(*values: Any) -> Any:
            return self._met(reduce_op, list(values)), lambda *dys: self._met(reduce_op, list(dys))

        return list(reduced(*flat))

    def _met(self, reduce_op: ReduceOp, flat: list[Any]) -> list[Any]:
        def merged(strategy: Any, *values: Any) -> Any:
            extended = strategy.extended
            # One tensor that all replicas brought counts once for each of them.
            several = [
                each
                if isinstance(each, DistributedValues) or extended.local_count == 1
                else PerReplica([each] * extended.local_count)
                for each in values
            ]
            return extended.batch_reduce_to(
                reduce_op, [(each, extended.worker_devices) for each in several]
            )

        with replaced(tapes=()):  # no tape of this replica sees what all do
            return list(self.merge_call(merged, args=tuple(flat)))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Return the values of all replicas one after the other along an axis."""
        require_replica(self)
        flat = [convert_to_tensor(each) for each in nest.flatten(value)]

        def gathered(strategy: Any, *values: Any) -> Any:
            extended = strategy.extended
            return [extended.mirrored(extended.gathered(each, axis)) for each in values]

        found = self.merge_call(gathered, args=tuple(flat))
        return nest.pack_sequence_as(value, found) if nest.is_nested(value) else found[0]

    def _update(
        self, var: Any, fn: Any, args: Any = (), kwargs: Any = None, group: Any = True
    ) -> Any:
        def merged(strategy: Any, *values: Any, **named: Any) -> Any:
            return strategy.extended.update(var, fn, values, named, group)

        return self.merge_call(merged, args=args, kwargs=kwargs)


def as_traced(fn: Callable[..., Any]) -> Any:
    """Return a function as functions being traced call others: with its control flow converted."""
    if not current.interpreter.is_function:
        return fn

    return callee(fn)


def _merged_alone(strategy: Any, merge_fn: Any, args: Any, kwargs: Any) -> Any:
    place = current_place()
    if place is None:
        return merge_fn(strategy, *args, **kwargs)
    with entered(Place(place.strategy, None)):
        return merge_fn(strategy, *args, **kwargs)


class MirroredReplicaContext(ReplicaContext):
    """A replica of a strategy with several."""


class OneDeviceReplicaContext(ReplicaContext):
    """The only replica of a strategy."""


ReplicaContext.__module__ = "tensorflow.python.distribute.distribute_lib"
for _kind, _name, _file in (
    (MirroredReplicaContext, "_MirroredReplicaContext", "mirrored_run"),
    (OneDeviceReplicaContext, "_OneDeviceReplicaContext", "one_device_strategy"),
):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = f"tensorflow.python.distribute.{_file}"
