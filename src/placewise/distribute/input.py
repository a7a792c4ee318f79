"""Data for replicas: global batches split, or a batch for each in turn."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core import nest
from placewise.core.dtypes import int32, string
from placewise.core.errors import OutOfRangeError
from placewise.core.nest import Composite
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.data.construction import known_int
from placewise.data.dataset import DatasetV2
from placewise.data.optional import Optional
from placewise.distribute.collectives import reduce_over_workers
from placewise.distribute.context import has_strategy, in_cross_replica_context
from placewise.distribute.values import DistributedValues, PerReplica, PerReplicaSpec
from placewise.eager.device_scope import device
from placewise.ops.array.creation import zeros
from placewise.ops.array.shape import identity, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.math.arithmetic import minimum
from placewise.ops.math.cast import cast
from placewise.ops.specs import CompositeSpec, TensorSpec, type_spec_from_value

if TYPE_CHECKING:
    from placewise.data.iterators import OwnedIterator


class InputReplicationMode(enum.Enum):
    """Who makes the datasets: each machine, or each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """What a function that makes a dataset may ask: which of how many pipelines it is for.

    `num_input_pipelines`: how many workers there are.
    `input_pipeline_id`: the number of this one.
    `num_replicas_in_sync`: how many replicas train together, on all workers.

    `get_per_replica_batch_size(size)` divides a global batch; ValueError if it does not divide
    evenly.

    >>> context = tf.distribute.InputContext(2, 1, num_replicas_in_sync=8)
    >>> context.get_per_replica_batch_size(256)
    32
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._pipelines, self._id = num_input_pipelines, input_pipeline_id
        self._replicas = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._replicas

    @property
    def input_pipeline_id(self) -> int:
        """Which pipeline the dataset is for."""
        return self._id

    @property
    def num_input_pipelines(self) -> int:
        """How many pipelines there are."""
        return self._pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return what each replica gets of a global batch."""
        if global_batch_size % self._replicas:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                f"`num_replicas_in_sync` {self._replicas!r} "
            )
        return global_batch_size // self._replicas

    def __str__(self) -> str:
        return f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"


class ValueContext:
    """What a function that makes a value for a replica may ask."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  "
            f"total replicas in sync: {self.num_replicas_in_sync})"
        )


class _InputOptions(NamedTuple):
    experimental_fetch_to_device: bool | None
    experimental_replication_mode: Any
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


class InputOptions(_InputOptions):
    """How a distributed dataset is fetched: to the replicas' devices, or only to the host."""

    def __new__(
        cls,
        experimental_fetch_to_device: bool | None = None,
        experimental_replication_mode: Any = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> InputOptions:
        """Return the options; what was not said is as in TensorFlow: to the device."""
        return super().__new__(
            cls,
            experimental_fetch_to_device is not False,
            experimental_replication_mode,
            experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )


def is_per_replica(options: InputOptions | None) -> bool:
    """Return whether each replica is to have a dataset of its own."""
    return (
        options is not None
        and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA
    )


def refuse_per_replica(options: InputOptions | None, where: str) -> None:
    """Raise for datasets of replicas where there is one for all."""
    if is_per_replica(options):
        raise NotImplementedError(f"InputReplicationMode.PER_REPLICA is only supported in {where}.")


def check_options(options: InputOptions | None) -> None:
    """Raise ValueError for options that contradict each other."""
    if options is None or not options.experimental_place_dataset_on_device:
        return
    if not is_per_replica(options):
        raise ValueError(
            "When `experimental_place_dataset_on_device` is set for dataset placement, you must "
            "also specify `PER_REPLICA` for the replication mode"
        )
    if options.experimental_fetch_to_device:
        raise ValueError(
            "`experimental_place_dataset_on_device` can not be set to True when "
            "experimental_fetch_to_device is True and replication mode is set to `PER_REPLICA`"
        )


class DistributedIterable:
    """A dataset that gives every replica its part."""

    def __init__(
        self, strategy: Any, dataset: Any, agree: int | None = None, options: Any = None
    ) -> None:
        self._strategy, self._dataset = strategy, dataset
        self._fetches = options is None or options.experimental_fetch_to_device
        self._own_spec = dataset.element_spec
        self._agree = agree  # the group of workers whose datasets may end at different times

    @property
    def _replicas(self) -> int:
        count: int = self._strategy.extended.local_count
        return count

    @property
    def element_spec(self) -> Any:
        """What the elements are like."""
        if self._replicas == 1:
            return self._part_spec(self._own_spec)
        return nest.map_structure(
            lambda spec: PerReplicaSpec(*[self._part_spec(spec)] * self._replicas), self._own_spec
        )

    def _part_spec(self, spec: TensorSpec) -> Any:
        """Return what a replica's part of a tensor is like."""
        return _open_batch(spec)

    def cardinality(self) -> Any:
        """Return how many elements there are."""
        return self._dataset.cardinality()

    @property
    def _cardinality(self) -> Any:
        return self.cardinality()

    def __len__(self) -> int:
        return len(self._dataset)

    def __iter__(self) -> Iterator[Any]:
        return DistributedIterator(self, iter(self._dataset))

    def reduce(self, initial_state: Any, reduce_func: Any) -> Any:
        """Return the state after `reduce_func(state, element)` for every element."""
        state = initial_state
        for element in self:
            state = reduce_func(state, element)
        return state

    def parts(self, iterator: Any) -> Any:
        """Return the next element of an iterator, a part for each replica on its device."""
        element = self._split(iterator)
        if not self._fetches or current.interpreter is not Scope.eager:
            return element  # in a graph, what reads a part has it brought to its device
        devices = self._strategy.extended.worker_devices
        return nest.map_structure(lambda value: _brought(value, devices), element)

    def _split(self, iterator: Any) -> Any:
        """Return the next element of an iterator, a part for each replica."""
        raise NotImplementedError

    def _next(self, iterator: Any) -> Any:
        """Return the next element; one without rows if only other workers have more."""
        if self._agree is None:
            return iterator.get_next()
        return _agreed_next(iterator, self._own_spec, self._agree)


class DistributedDataset(DistributedIterable):
    """Global batches, split among all replicas; this machine's take theirs."""

    def __init__(
        self,
        strategy: Any,
        dataset: Any,
        parts: int | None = None,
        agree: int | None = None,
        options: Any = None,
    ) -> None:
        super().__init__(strategy, dataset, agree, options)
        leaves = [s for s in nest.flatten(self._own_spec) if isinstance(s, TensorSpec)]
        if leaves and all(spec.shape.rank == 0 for spec in leaves):
            raise ValueError(
                "The elements of the dataset have no batch to split among the replicas: call "
                f".batch(global_batch_size) on it first. They are {self._own_spec}"
            )
        sizes = {_batch_of(spec) for spec in nest.flatten(self._own_spec, True)}
        self._batch = sizes.pop() if len(sizes) == 1 else None
        # Into how many parts a batch is cut: for all replicas there are, or for this machine's.
        extended = strategy.extended
        self._parts = extended.replica_count if parts is None else parts
        self._own = extended.own_parts() if parts is None else range(parts)

    def _part_spec(self, spec: TensorSpec) -> Any:
        if self._batch is None or self._batch % self._parts or not isinstance(spec, TensorSpec):
            return spec if self._parts == 1 else _open_batch(spec)
        return TensorSpec([self._batch // self._parts, *spec.shape[1:]], spec.dtype, spec.name)

    def _split(self, iterator: Any) -> Any:
        element = self._next(iterator)
        if self._parts == 1:
            return element
        return _split_structure(element, self._parts, self._batch, self._own)


class DistributedDatasetsFromFunction(DistributedIterable):
    """A dataset of batches of which each replica takes one in turn."""

    def _split(self, iterator: OwnedIterator) -> Any:
        count = self._replicas
        if count == 1:
            return self._next(iterator)
        first = self._next(iterator)
        parts = [first, *[self._next_or_none(iterator, first) for _ in range(count - 1)]]
        columns = zip(*[nest.flatten(part) for part in parts], strict=True)
        return nest.pack_sequence_as([first], [PerReplica(list(c)) for c in columns])[0]

    def _next_or_none(self, iterator: OwnedIterator, like: Tensor) -> Any:
        """Return the next batch, or one without rows when there is none left."""
        if current.interpreter is not Scope.eager:
            optional = iterator.get_next_as_optional()
            return cond(
                optional.has_value(),
                optional.get_value,
                lambda: nest.map_structure(lambda each: each[:0], like),
            )
        try:
            return iterator.get_next()
        except (StopIteration, OutOfRangeError):
            return nest.map_structure(lambda each: each[:0], like)


class DistributedDatasetsOfReplicas(DistributedIterable):
    """A dataset for each replica, read side by side until the last one ends."""

    def __init__(self, strategy: Any, datasets: list[Any], options: Any) -> None:
        # What is infinite or not known counts as ended with the others.
        counts = [max(known_int(dataset.cardinality()) or 0, 0) for dataset in datasets]
        most = max(counts)
        if 0 < min(counts) < most:
            # A replica whose dataset has ended gets batches without rows.
            datasets = [
                dataset.concatenate(_empty_batches(dataset, most - count))
                if count < most
                else dataset
                for dataset, count in zip(datasets, counts, strict=True)
            ]
        super().__init__(strategy, DatasetV2.zip(tuple(datasets)), options=options)
        self._own_spec = datasets[0].element_spec

    def _split(self, iterator: OwnedIterator) -> Any:
        parts = iterator.get_next()
        if len(parts) == 1:
            return parts[0]
        columns = zip(*[nest.flatten(part) for part in parts], strict=True)
        return nest.pack_sequence_as([parts[0]], [PerReplica(list(c)) for c in columns])[0]

    def _part_spec(self, spec: TensorSpec) -> Any:
        return spec


def _empty_batches(dataset: Any, count: int) -> Any:
    empty = nest.map_structure(_empty, dataset.element_spec)
    return DatasetV2.from_tensors(empty).repeat(count)


def _agreed_next(iterator: Any, spec: Any, group: int) -> Any:
    """Return the next element, or one without rows while any other worker still has one."""
    optional = iterator.get_next_as_optional()
    has_one = optional.has_value()
    having = iterator.having if isinstance(iterator, _Once) else _having(has_one, group)
    if current.interpreter is Scope.eager:
        if bool(has_one):
            return optional.get_value()
        if int(having):
            return nest.map_structure(_empty, spec)
        raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ")
    return cond(
        has_one,
        optional.get_value,
        lambda: cond(having > 0, lambda: nest.map_structure(_empty, spec), iterator.get_next),
    )


def _having(has_one: Any, group: int) -> Any:
    """Return how many workers have an element."""
    return reduce_over_workers([cast(has_one, int32)], group)[0]


def _empty(spec: Any) -> Any:
    """Return a tensor without rows that a spec allows."""
    if not isinstance(spec, TensorSpec) or not spec.shape.rank:
        raise ValueError(
            f"The workers' datasets do not end together, and {spec} has no batch to leave empty: "
            "repeat the datasets, or stop all workers at the same step"
        )
    return zeros([0, *[size or 0 for size in spec.shape[1:]]], spec.dtype)


class DistributedIterator(Composite):
    """Goes through a distributed dataset; can be an argument of a function."""

    def __init__(self, iterable: Any, iterator: Any) -> None:
        self._iterable, self._iterator = iterable, iterator

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if current.interpreter is not Scope.eager:
            return self.get_next()
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    next = __next__

    def get_next(self) -> Any:
        """Return the next element, a part for each replica."""
        _require_outside()
        return self._iterable.parts(self._iterator)

    def get_next_as_optional(self) -> Any:
        """Return the next element, or that there is none."""
        _require_outside()
        if current.interpreter is not Scope.eager:
            inner = self._iterator.get_next_as_optional()
            if self._iterable._agree is None:
                return DistributedOptional(self._iterable, inner)
            return DistributedOptional(
                self._iterable, inner, _having(inner.has_value(), self._iterable._agree)
            )
        try:
            return Optional.from_value(self.get_next())
        except (OutOfRangeError, StopIteration):
            return Optional.empty(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """What the elements are like."""
        return self._iterable.element_spec

    def _components(self) -> list[Any]:
        return list(self._iterator._components())

    def _from_components(self, parts: list[Any]) -> Any:
        return DistributedIterator(self._iterable, self._iterator._from_components(parts))

    @property
    def _type_spec(self) -> Any:
        return DistributedIteratorSpec(self, type_spec_from_value(self._iterator))


def _require_outside() -> None:
    """Raise ValueError in a replica: each would take an element that is meant for all."""
    if has_strategy() and not in_cross_replica_context():
        raise ValueError(
            "next(iterator) should be called from outside of replica_fn. e.g. "
            "strategy.run(replica_fn, args=(next(iterator),))"
        )


class DistributedOptional(Composite):
    """The next element of a distributed iterator in a graph, or that there is none."""

    def __init__(self, iterable: Any, inner: Any, having: Any = None) -> None:
        self._iterable, self._inner = iterable, inner
        self._having = having  # how many workers have one, where they need not all

    def has_value(self, name: str | None = None) -> Any:
        """Return a bool tensor: is there a value, for this worker or another?"""
        return self._inner.has_value(name) if self._having is None else self._having > 0

    def get_value(self, name: str | None = None) -> Any:
        """Return the value, a part for each replica."""
        return self._iterable.parts(_Once(self._inner, self._having))

    @property
    def element_spec(self) -> Any:
        """What the element is like."""
        return self._iterable.element_spec

    def _components(self) -> list[Any]:
        agreed = [] if self._having is None else [self._having]
        return [*self._inner._components(), *agreed]

    def _from_components(self, parts: list[Any]) -> Any:
        having = None if self._having is None else parts[-1]
        count = len(self._inner._components())
        inner = self._inner._from_components(list(parts[:count]))
        return DistributedOptional(self._iterable, inner, having)

    @property
    def _type_spec(self) -> Any:
        return DistributedIteratorSpec(self, type_spec_from_value(self._inner))


class _Once:
    """An iterator over the one element that an optional holds."""

    def __init__(self, optional: Any, having: Any) -> None:
        self._optional, self.having = optional, having

    def get_next(self) -> Any:
        """Return the element."""
        return self._optional.get_value()

    def get_next_as_optional(self) -> Any:
        """Return the optional."""
        return self._optional


class DistributedIteratorSpec(CompositeSpec):
    """What a distributed iterator is like."""

    def __init__(self, like: Any, inner: Any) -> None:
        self._like, self._inner = like, inner

    @property
    def value_type(self) -> Any:
        """DistributedIterator."""
        return DistributedIterator

    def _serialize(self) -> tuple[Any, ...]:
        # Iterators of like datasets are alike, so that a function is traced once for all epochs.
        iterable = self._like._iterable
        return (
            iterable._strategy,
            type(iterable).__name__,
            iterable._replicas,
            getattr(iterable, "_batch", None),
            iterable._agree,
            self._inner,
        )

    @property
    def _component_specs(self) -> Any:
        return self._inner._components()

    def _components(self) -> list[Any]:
        return list(self._inner._components())

    def _from_components(self, parts: list[Any]) -> Any:
        return self._like._from_components(parts)


def _batch_of(spec: TensorSpec) -> int | None:
    shape = getattr(spec, "shape", None)
    # As a number: in programs of TensorFlow 1 the items of a shape are objects.
    return None if shape is None or not shape.rank else shape.as_list()[0]


def _open_batch(spec: TensorSpec) -> Any:
    if isinstance(spec, TensorSpec) and spec.shape.rank:
        return TensorSpec([None, *spec.shape[1:]], spec.dtype, spec.name)
    return spec


def _brought(value: Any, devices: tuple[str, ...]) -> Any:
    """Return the parts of a value on the devices of their replicas."""
    if not isinstance(value, DistributedValues):
        return _on(value, devices[0])
    return PerReplica([_on(*each) for each in zip(value.values, devices, strict=True)])


def _on(part: Tensor, where: str) -> Any:
    """Return a part on a device; text stays on the host."""
    with device(where):
        return nest.map_structure(
            lambda each: each if each.dtype is string else identity(each),
            part,
            expand_composites=True,
        )


def _split_structure(element: Any, count: int, batch: int | None, own: range) -> Any:
    """Return an element with every tensor cut along its first axis; `own` parts are kept."""
    made = []
    for leaf in nest.flatten(element):
        parts = _cut(leaf, count, batch, own)
        made.append(PerReplica(parts) if len(parts) > 1 else parts[0])
    return nest.pack_sequence_as([element], made)[0]


def _cut(tensor: Any, count: int, batch: int | None, own: range) -> list[Any]:
    """Return parts of a tensor: all alike as far as rows reach, what is missing at the end."""
    if not isinstance(tensor, Composite):
        tensor = convert_to_tensor(tensor)
    if tensor.shape.rank == 0:
        return [tensor] * len(own)
    # Cut where it is: only a part goes to each device.
    with device(getattr(tensor, "device", None) or "/cpu:0"):
        return _rows_of(tensor, count, batch, own)


def _rows_of(tensor: Tensor, count: int, batch: int | None, own: range) -> list[Any]:
    known = tensor.shape.as_list()[0] if batch is None else batch
    if known is not None:
        size = -(-known // count)
        return [tensor[min(i * size, known) : min((i + 1) * size, known)] for i in own]
    rows = shape_of(tensor)[0]
    size = (rows + count - 1) // count
    return [tensor[minimum(i * size, rows) : minimum((i + 1) * size, rows)] for i in own]


for _kind in (
    DistributedDataset,
    DistributedDatasetsFromFunction,
    DistributedIterator,
    DistributedIteratorSpec,
):
    _kind.__module__ = "tensorflow.python.distribute.input_lib"
for _kind in (InputContext, ValueContext, InputOptions, InputReplicationMode):  # type: ignore[assignment]
    _kind.__module__ = "tensorflow.python.distribute.distribute_lib"
