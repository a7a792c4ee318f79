"""Variables with a part on every device: mirrored ones, and ones that add up when read."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.scope import Scope, current
from placewise.distribute.context import current_place, get_replica_context, replica_index
from placewise.distribute.reduce_op import ReduceOp
from placewise.distribute.values import (
    DistributedValues,
    Mirrored,
    MirroredTensors,
    PerReplica,
)
from placewise.eager.device_scope import device
from placewise.eager.observe import PlacementWarning
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group
from placewise.ops.state.variable import (
    Variable,
    VariableAggregation,
    VariableAggregationV2,
    VariableSynchronization,
    is_eager_variable,
)

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.resource_variables import ResourceVariable
    from placewise.ops.indexed_slices import IndexedSlices


class DistributedVariable(DistributedValues, Variable):
    """A variable of several parts; a replica's code sees its own part."""

    def __init__(self, strategy: Any, values: Any, aggregation: Any) -> None:
        DistributedValues.__init__(self, values)
        first = self._values[0]
        self._strategy = strategy
        # The parts may be of a graph, and then have only the public face in common.
        self._name, self._trainable = first.name.removesuffix(":0"), first.trainable
        self._shape, self._dtype = first.shape, first.dtype
        self._constraint, self._unique = first.constraint, getattr(first, "_unique", 0)
        self._synchronization = VariableSynchronization.ON_WRITE
        self._aggregation = aggregation
        self._caching_device = None
        self._save_slice_info: Any = None
        for part in self._values:
            part._distributed_container = lambda whole=self: whole

    @property
    def _handle(self) -> Any:
        return self._get().handle

    @property
    def handle(self) -> Any:
        """The resource tensor of the part that is meant here."""
        return self._get().handle

    @property
    def name(self) -> str:
        """The name of the first part."""
        name: str = self._values[0].name
        return name

    @property
    def device(self) -> str:
        """The device of the part that is meant here."""
        name: str = self._get().device
        return name

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope it was made."""
        return self._strategy

    @property
    def _distribute_strategy(self) -> Any:
        return self._strategy

    def _get(self) -> Any:
        index = replica_index()
        if index is not None and index < len(self._values):
            return self._values[index]
        return self._on_device_in_force()

    def _on_device_in_force(self) -> Any:
        """Return the part on the device that is asked for, else the first."""
        graph = current.interpreter.graph
        asked = current.request if graph is None else _last(graph.scopes.devices)
        if asked:
            for part in self._values:
                if part.device.endswith(asked.rpartition("/device:")[2]) and "device:" in asked:
                    return part
        return self._values[0]

    def _get_closest(self) -> Any:
        return self._get()

    def _get_cross_replica(self) -> Any:
        return self._values[0]

    # Parts of a TensorFlow 1 graph know how they are read and made.

    def value(self) -> Any:
        """Return the value now, of the part that is meant here."""
        part = self._get()
        return super().value() if is_eager_variable(part) else part.value()

    @property
    def initializer(self) -> Any:
        """The operation that gives all parts their first value; None for eager variables."""
        found = [part.initializer for part in self._values]
        return None if found[0] is None else group(*found)

    @property
    def initial_value(self) -> Any:
        """The first part's."""
        return self._values[0].initial_value

    @property
    def op(self) -> Any:
        """The operation of the part that is meant here."""
        return self._get().op

    @property
    def graph(self) -> Any:
        """The graph the parts are in."""
        return self._values[0].graph

    def eval(self, session: Any = None) -> Any:
        """Return the value in a session."""
        return self._values[0].eval(session)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the first part as a VariableDef."""
        return self._values[0].to_proto(export_scope)

    def _as_graph_element(self) -> Any:
        return self._get()._as_graph_element()

    def is_initialized(self, name: str | None = None) -> Any:
        """Return whether it has a value, as a tensor."""
        return self._values[0].is_initialized(name)

    def _each(self, change: Callable[[Any, Any], Any], value: Any) -> list[Any]:
        """Change every part, on its device, with its own part of `value`."""
        results = []
        for index, part in enumerate(self._values):
            own = (
                value.values[index]
                if isinstance(value, DistributedValues) and not isinstance(value, Variable)
                else value
            )
            with device(part.device or None):
                results.append(change(part, own))
        return results

    def __repr__(self) -> str:
        return DistributedValues.__repr__(self)

    __str__ = __repr__

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        with self._strategy.scope():
            made = Variable(
                self._values[0].numpy(),
                trainable=self._trainable,
                dtype=self._dtype,
                synchronization=self._synchronization,
                aggregation=self._aggregation,
            )
        memo[id(self)] = made
        return made

    # Who assigns decides what happens: one replica, one part, or the program for all.

    def _changed(self, change: Callable[[Any, Any], Any], value: Any, read_value: bool) -> Any:
        raise NotImplementedError

    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Give the variable a new value."""
        return self._changed(lambda part, new: part.assign(new, name=name), value, read_value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: Any = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add to the variable."""
        return self._changed(lambda part, new: part.assign_add(new, name=name), delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract from the variable."""
        return self._changed(lambda part, new: part.assign_sub(new, name=name), delta, read_value)

    def _scatter_with(self, method: str, slices: IndexedSlices, name: str | None) -> Any:
        if method in _NOT_SUMMED and self._aggregation.name in ("SUM", "MEAN"):
            raise NotImplementedError(
                f"{method} is only supported for mirrored variable (variable created within "
                "certain `tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` "
                f"aggregation, got: {self._aggregation}."
            )
        return self._changed(lambda part, new: getattr(part, method)(new, name=name), slices, True)

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Add slices to rows."""
        return self._scatter_with("scatter_add", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Subtract slices from rows."""
        return self._scatter_with("scatter_sub", sparse_delta, name)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Replace rows by slices."""
        return self._scatter_with("scatter_update", sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Multiply rows by slices."""
        return self._scatter_with("scatter_mul", sparse_delta, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Divide rows by slices."""
        return self._scatter_with("scatter_div", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Keep the smaller of rows and slices."""
        return self._scatter_with("scatter_min", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Keep the larger of rows and slices."""
        return self._scatter_with("scatter_max", sparse_delta, name)


_ALL, _TRAINED = "variables", "trainable_variables"
_NOT_SUMMED = ("scatter_update", "scatter_min", "scatter_max")


def _last(devices: tuple[Any, ...]) -> str:
    found = [each for each in devices if isinstance(each, str)]
    return found[-1] if found else ""


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable whose parts are always the same."""

    def _changed(
        self, change: Callable[[Any, Any], Any], value: TensorLike, read_value: bool
    ) -> Any:
        place = current_place()
        if place is not None and place.updating is not None:
            made = change(self._values[place.updating], value)
            return made if read_value else None
        context = get_replica_context()
        if place is None or context is None or context.strategy is not self._strategy:
            return _mirrored(self._each(change, value), read_value)
        if self._aggregation.name == "NONE":
            made = change(self._values[min(context.index, len(self._values) - 1)], value)
            return made if read_value else None
        return context.merge_call(self._merge, args=(change, value, read_value))

    def _merge(self, strategy: Any, change: Any, value: Any, read_value: bool) -> Any:
        """Change all parts by what the replicas' values amount to."""
        if isinstance(change, PerReplica):
            change = change.values[0]
        op = ReduceOp.from_variable_aggregation(self._aggregation)
        if op is not None:
            value = strategy.extended.reduce_to(op, value, self)
        elif isinstance(value, DistributedValues):
            value = strategy.extended.broadcast_to(value.values[0], self)
        return _mirrored(self._each(change, value), read_value)


def _mirrored(results: list[Any], read_value: bool) -> Any:
    """Return the new values of all parts, or what only orders what comes after."""
    if read_value:
        return MirroredTensors([convert_to_tensor(each) for each in results])
    return None if current.interpreter is Scope.eager else group(*results)


class SyncOnReadVariable(DistributedVariable):
    """A variable whose parts go their own ways, and add up (or average) when read for all."""

    def __init__(self, strategy: Any, values: Any, aggregation: Any) -> None:
        super().__init__(strategy, values, aggregation)
        self._synchronization = VariableSynchronization.ON_READ

    def _changed(
        self, change: Callable[[Any, Any], Any], value: TensorLike, read_value: bool
    ) -> Any:
        index = replica_index()
        if index is not None:
            made = change(self._values[index], value)
            return made if read_value else None
        if self._aggregation.name == "SUM":
            count = self._strategy.num_replicas_in_sync
            value = convert_to_tensor(value, self._dtype)
            value = value / count if value.dtype.is_floating else value // count
        results = self._each(change, value)
        if read_value:
            return self.value()
        return None if current.interpreter is Scope.eager else group(*results)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: Any = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add to the variable; for all replicas at once only if it takes the first one's value."""
        self._refuse_for_all("assign_add")
        return super().assign_add(delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract from the variable; as `assign_add`."""
        self._refuse_for_all("assign_sub")
        return super().assign_sub(delta, use_locking, name, read_value)

    def _refuse_for_all(self, method: str) -> None:
        if replica_index() is None and self._aggregation.name == "SUM":
            raise ValueError(
                f"SyncOnReadVariable does not support `{method}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )

    def value(self) -> Any:
        """Return a replica's own value, or what all parts amount to."""
        if replica_index() is not None:
            return self._get().value()
        return self._together()

    def _together(self) -> Any:
        op = ReduceOp.from_variable_aggregation(self._aggregation)
        if op is None:
            return self._strategy.extended.first_of_all(self._values[0].value())
        values = PerReplica([part.value() for part in self._values])
        return self._strategy.extended.reduce_to(op, values, self._values[0].device)

    def _get_cross_replica(self) -> Any:
        return self._together()

    def numpy(self) -> Any:
        """Return what all parts amount to, as an array."""
        return self.value().numpy()


class AggregatingVariable(MirroredVariable):
    """A variable kept once, which replicas change together (central storage)."""


def make(
    strategy: Any,
    devices: tuple[str, ...],
    next_creator: Callable[..., Any],
    options: dict[str, Any],
) -> Any:
    """Return a variable with a part on each device; the first one's value goes to all."""
    synchronization = options.get("synchronization") or VariableSynchronization.AUTO
    aggregation = checked_aggregation(options)
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {options.get('name')}"
        )
    options.pop("experimental_batch_initialization", None)
    graph = None if current.interpreter.is_function else current.interpreter.graph
    if graph is not None:
        options["use_resource"] = True
        collections = options.get("collections") or [_ALL]
        options["collections"] = []  # which list the whole, not its parts
    name = options.get("name") or "Variable"
    parts: list[Any] = []
    for index, where in enumerate(devices):
        own = dict(options)
        with device(where), warnings.catch_warnings():
            # The devices are the strategy's choice: a kind that no GPU holds is nobody's mistake.
            warnings.simplefilter("ignore", PlacementWarning)
            if index:
                own["name"] = f"{name.rstrip('/')}/replica_{index}"  # a slot's ends with its scope
                own["initial_value"] = _same(parts[0])
            parts.append(next_creator(**own))
    if aggregation.name == "MEAN" and not parts[0].dtype.is_floating:
        raise ValueError(
            "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is "
            "not supported, please use a different aggregation or dtype"
        )
    on_read = synchronization is VariableSynchronization.ON_READ
    variable = (SyncOnReadVariable if on_read else MirroredVariable)(strategy, parts, aggregation)
    if graph is not None:
        _list_in(graph, variable, collections)
    return variable


def _list_in(graph: Graph, variable: DistributedVariable, collections: list[str]) -> None:
    """Add a variable to collections of its graph; what is trained is the whole too."""
    trained = graph.get_collection_ref(_TRAINED)
    parts = {id(part) for part in variable.values}
    if any(id(each) in parts for each in trained):
        trained[:] = [each for each in trained if id(each) not in parts]
        collections = [*collections, _TRAINED]
    graph.add_to_collections(dict.fromkeys(collections), variable)


def checked_aggregation(options: dict[str, Any]) -> Any:
    """Return how the parts of a variable come together, as its options say."""
    found = options.get("aggregation") or VariableAggregation.NONE
    if not isinstance(found, (VariableAggregation, VariableAggregationV2)):
        raise ValueError(
            f"Invalid variable aggregation mode: {found} for variable: {options.get('name')}"
        )
    return found


def _same(first: ResourceVariable) -> Any:
    """Return what gives another part the first one's initial value."""
    if hasattr(first, "_initial_value"):  # of a graph
        return lambda: first.initial_value
    return lambda: first.value()


_HERE = "tensorflow.python.distribute.values"
for _kind in (DistributedVariable, MirroredVariable, SyncOnReadVariable, AggregatingVariable):
    _kind.__module__ = _HERE
    _kind.__name__ = _kind.__qualname__ = _kind.__name__
