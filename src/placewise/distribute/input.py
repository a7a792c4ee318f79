"""Data for replicas: global batches split, or a batch for each in turn."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from placewise.core import nest
from placewise.core.nest import Composite
from placewise.core.scope import Scope, local
from placewise.distribute.values import PerReplica, PerReplicaSpec
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import minimum
from placewise.ops.specs import CompositeSpec, TensorSpec, type_spec_from_value


class InputReplicationMode(enum.Enum):
    """Who makes the datasets: each machine, or each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """What a function that makes a dataset may ask: which of how many pipelines it is for."""

    def __init__(
        self, num_input_pipelines: int = 1, input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:  # fmt: skip
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
        return (
            f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"
        )


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


class InputOptions:
    """How a distributed dataset is fetched; kept, as nothing is fetched ahead here."""

    def __init__(
        self, experimental_fetch_to_device: bool | None = None,
        experimental_replication_mode: Any = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> None:  # fmt: skip
        # As in TensorFlow: to the device, unless it was said otherwise.
        self.experimental_fetch_to_device = experimental_fetch_to_device is not False
        self.experimental_replication_mode = experimental_replication_mode
        self.experimental_place_dataset_on_device = experimental_place_dataset_on_device
        self.experimental_per_replica_buffer_size = experimental_per_replica_buffer_size


class DistributedIterable:
    """A dataset that gives every replica its part."""

    def __init__(self, strategy: Any, dataset: Any) -> None:
        self._strategy, self._dataset = strategy, dataset

    @property
    def _replicas(self) -> int:
        return len(self._strategy.extended.worker_devices)

    @property
    def element_spec(self) -> Any:
        """What the elements are like."""
        if self._replicas == 1:
            return self._dataset.element_spec
        return nest.map_structure(
            lambda spec: PerReplicaSpec(*[_open_batch(spec)] * self._replicas),
            self._dataset.element_spec,
        )

    def cardinality(self) -> Any:
        """Return how many elements there are."""
        return self._dataset.cardinality()

    @property
    def _cardinality(self) -> Any:
        return self.cardinality()

    def __len__(self) -> int:
        return len(self._dataset)

    def __iter__(self) -> Iterator[Any]:
        return DistributedIterator(self._strategy, iter(self._dataset), self._split, self.element_spec)

    def reduce(self, initial_state: Any, reduce_func: Any) -> Any:
        """Return the state after `reduce_func(state, element)` for every element."""
        state = initial_state
        for element in self:
            state = reduce_func(state, element)
        return state

    def _split(self, iterator: Any) -> Any:
        raise NotImplementedError


class DistributedDataset(DistributedIterable):
    """Global batches, split among the replicas."""

    def __init__(self, strategy: Any, dataset: Any) -> None:
        super().__init__(strategy, dataset)
        sizes = {_batch_of(spec) for spec in nest.flatten(dataset.element_spec, True)}
        self._batch = sizes.pop() if len(sizes) == 1 else None

    def _split(self, iterator: Any) -> Any:
        element = iterator.get_next()
        if self._replicas == 1:
            return element
        return _split_structure(element, self._replicas, self._batch)


class DistributedDatasetsFromFunction(DistributedIterable):
    """A dataset of batches of which each replica takes one in turn."""

    def _split(self, iterator: Any) -> Any:
        count = self._replicas
        if count == 1:
            return iterator.get_next()
        first = iterator.get_next()
        parts = [first]
        for _ in range(count - 1):
            parts.append(self._next_or_none(iterator, first))
        columns = zip(*[nest.flatten(part) for part in parts], strict=True)
        return nest.pack_sequence_as([first], [PerReplica(list(c)) for c in columns])[0]

    def _next_or_none(self, iterator: Any, like: Any) -> Any:
        """Return the next batch, or one without rows when there is none left."""
        from placewise.core.errors import OutOfRangeError

        if local.interpreter is not Scope.eager:
            optional = iterator.get_next_as_optional()
            from placewise.ops.flow.control import cond

            return cond(
                optional.has_value(), optional.get_value,
                lambda: nest.map_structure(lambda each: each[:0], like),
            )  # fmt: skip
        try:
            return iterator.get_next()
        except (StopIteration, OutOfRangeError):
            return nest.map_structure(lambda each: each[:0], like)


class DistributedIterator(Composite):
    """Goes through a distributed dataset; can be an argument of a function."""

    def __init__(self, strategy: Any, iterator: Any, split: Any, element_spec: Any) -> None:
        self._strategy, self._iterator, self._split = strategy, iterator, split
        self._spec = element_spec

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        from placewise.core.errors import OutOfRangeError

        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    next = __next__

    def get_next(self) -> Any:
        """Return the next element, a part for each replica."""
        return self._split(self._iterator)

    def get_next_as_optional(self) -> Any:
        """Return the next element, or that there is none."""
        from placewise.core.errors import OutOfRangeError
        from placewise.data.optional import Optional

        try:
            return Optional.from_value(self.get_next())
        except (OutOfRangeError, StopIteration):
            return Optional.empty(self._spec)

    @property
    def element_spec(self) -> Any:
        """What the elements are like."""
        return self._spec

    def _components(self) -> list[Any]:
        return list(self._iterator._components())

    def _from_components(self, parts: list[Any]) -> Any:
        iterator = self._iterator._from_components(parts)
        return DistributedIterator(self._strategy, iterator, self._split, self._spec)

    @property
    def _type_spec(self) -> Any:
        return DistributedIteratorSpec(self, type_spec_from_value(self._iterator))


class DistributedIteratorSpec(CompositeSpec):
    """What a distributed iterator is like."""

    def __init__(self, like: Any, inner: Any) -> None:
        self._like, self._inner = like, inner

    @property
    def value_type(self) -> Any:
        """DistributedIterator."""
        return DistributedIterator

    def _serialize(self) -> tuple[Any, ...]:
        return (self._like._strategy, self._like._split.__func__, self._inner)

    @property
    def _component_specs(self) -> Any:
        return self._inner._components()

    def _components(self) -> list[Any]:
        return list(self._inner._components())

    def _from_components(self, parts: list[Any]) -> Any:
        return self._like._from_components(parts)


def _batch_of(spec: Any) -> int | None:
    shape = getattr(spec, "shape", None)
    return None if shape is None or not shape.rank else shape[0]


def _open_batch(spec: Any) -> Any:
    if isinstance(spec, TensorSpec) and spec.shape.rank:
        return TensorSpec([None, *spec.shape[1:]], spec.dtype, spec.name)
    return spec


def _split_structure(element: Any, count: int, batch: int | None) -> Any:
    """Return an element with every tensor cut into `count` parts along its first axis."""
    leaves = nest.flatten(element)
    made = [PerReplica(_cut(leaf, count, batch)) for leaf in leaves]
    return nest.pack_sequence_as([element], made)[0]


def _cut(tensor: Any, count: int, batch: int | None) -> list[Any]:
    if not isinstance(tensor, Composite):
        tensor = convert_to_tensor(tensor)
    rank = tensor.shape.rank
    if rank == 0:
        return [tensor] * count
    known = tensor.shape[0] if batch is None else batch
    if known is not None:
        sizes = [(known + count - 1 - index) // count for index in range(count)]
        ends = [sum(sizes[: index + 1]) for index in range(count)]
        begins = [0, *ends[:-1]]
        return [tensor[begin:end] for begin, end in zip(begins, ends, strict=True)]
    total = shape_of(tensor)[0]
    size = (total + count - 1) // count
    return [
        tensor[minimum(index * size, total) : minimum((index + 1) * size, total)]
        for index in range(count)
    ]


for _kind in (DistributedDataset, DistributedDatasetsFromFunction, DistributedIterator,
              DistributedIteratorSpec):  # fmt: skip
    _kind.__module__ = "tensorflow.python.distribute.input_lib"
for _kind in (InputContext, ValueContext, InputOptions, InputReplicationMode):  # type: ignore[assignment]
    _kind.__module__ = "tensorflow.python.distribute.distribute_lib"
