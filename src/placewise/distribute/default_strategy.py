"""What holds where a program chose no strategy: one replica, wherever ops go anyway."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.core.tensor import Tensor
from placewise.devices.inventory import places_automatically
from placewise.distribute.context import Place, current_place, entered
from placewise.distribute.input import InputContext
from placewise.distribute.reduce_op import ReduceOp
from placewise.distribute.replica_context import ReplicaContext
from placewise.distribute.strategy import Strategy, StrategyExtended
from placewise.eager.device_scope import device

if TYPE_CHECKING:
    from placewise.data.dataset import DatasetV2


class _DefaultReplicaContext(ReplicaContext):
    """The one replica."""

    @property
    def replica_id_in_sync_group(self) -> int:
        """0."""
        return 0


class _DefaultDistributionExtended(StrategyExtended):
    """One replica without a device of its own."""

    is_alone = True

    def __init__(self) -> None:
        super().__init__(("",))

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """No device in particular."""
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """No device in particular."""
        raise RuntimeError(
            "parameter_devices() method unsupported by default tf.distribute.Strategy."
        )

    def creator(self, next_creator: Any, **options: Any) -> Any:
        """Make an ordinary variable."""
        return next_creator(**options)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Return True for variables of no strategy."""
        return getattr(v, "_distribute_strategy", None) is None

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """Return a context in which variables are made where another is.

        Without automatic placement all of them are on the device in force anyway.
        """
        name = getattr(colocate_with_variable, "device", "")
        return device(name) if name and places_automatically() else nullcontext()

    def call_for_each_replica(self, fn: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call `fn`."""
        with entered(Place(self._strategy, DEFAULT.replica)):
            return fn(*args, **(kwargs or {}))

    def update(
        self, var: Any, fn: Any, args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """Call `fn(var, *args)`; with `group=False` each result is a tuple of one replica's."""
        result = fn(var, *args, **(kwargs or {}))
        return result if group else nest.map_structure(lambda part: (part,), result)

    def reduced(self, reduce_op: ReduceOp, value: Any) -> Any:
        """Return the value: there is but one."""
        return value

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Return the value: there is but one."""
        return value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Return the values."""
        return [value for value, _ in value_destination_pairs]

    def gathered(self, value: Tensor, axis: int) -> Any:
        """Return the value."""
        return value

    def distributed_dataset(self, dataset: DatasetV2, options: Any) -> Any:
        """Return the dataset."""
        return dataset

    def dataset_from_function(self, dataset_fn: Any, options: Any) -> Any:
        """Return the dataset."""
        return dataset_fn(InputContext())


class _DefaultDistributionStrategy(Strategy):
    """The strategy that does nothing."""

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended())
        self.replica = _DefaultReplicaContext(self, 0)

    def scope(self) -> Any:
        """Return a context that changes nothing, and must not be inside another strategy's."""
        return _NoScope(self)


class _NoScope:
    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy

    def __enter__(self) -> Any:
        place = current_place()
        if place is not None and place.strategy is not self._strategy:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return self._strategy

    def __exit__(self, *exception: object) -> None:
        return None


for _kind in (_DefaultDistributionStrategy, _DefaultReplicaContext, _DefaultDistributionExtended):
    _kind.__module__ = "tensorflow.python.distribute.distribute_lib"

DEFAULT = _DefaultDistributionStrategy()
