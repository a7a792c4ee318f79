"""Values that differ from replica to replica."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.core.nest import Composite
from placewise.core.scope import Scope, current
from placewise.distribute.context import replica_index
from placewise.ops.convert import convert_to_tensor
from placewise.ops.operators import install
from placewise.ops.specs import CompositeSpec, TypeSpec, type_spec_from_value


class DistributedValues:
    """One value for each replica."""

    def __init__(self, values: Any) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, by replica."""
        return self._values

    @property
    def _primary(self) -> Any:
        return self._values[0]

    def _get(self) -> Any:
        """Return the value of the replica whose code runs now; the first one outside of all."""
        index = replica_index()
        return self._values[0 if index is None else index]

    def __repr__(self) -> str:
        lines = ",\n".join(f"  {i}: {v!r}" for i, v in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    def __str__(self) -> str:
        lines = ",\n".join(f"  {i}: {v!s}" for i, v in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"


class PerReplica(DistributedValues, Composite):
    """Values that are each replica's own: a batch, a loss."""

    def _components(self) -> list[Any]:
        leaves = nest.flatten(list(self._values), expand_composites=True)
        if current.interpreter is Scope.eager:
            return leaves
        return [convert_to_tensor(e) if isinstance(e, (int, float, str)) else e for e in leaves]

    def _from_components(self, parts: list[Any]) -> Any:
        return PerReplica(
            nest.pack_sequence_as(list(self._values), list(parts), expand_composites=True)
        )

    @property
    def _type_spec(self) -> Any:
        return PerReplicaSpec(*[type_spec_from_value(value) for value in self._values])


class PerReplicaSpec(CompositeSpec):
    """What values of each replica are like."""

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> Any:
        """PerReplica."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> Any:
        return list(self._value_specs)

    def _from_components(self, parts: list[Any]) -> Any:
        made, position = [], 0
        for spec in self._value_specs:
            count = len(spec._components())
            made.append(spec._from_components(parts[position : position + count]))
            position += count
        return PerReplica(made)


class Mirrored(DistributedValues):
    """Values that are the same for each replica, a copy on each device."""


class MirroredTensors(Mirrored):
    """Tensors that are the same for each replica; stands for the replica's own, or the first."""

    # Where one tensor is wanted, it is the replica's own, or the first.

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._get(), dtype, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._get(), name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._get().__array__(dtype)

    def __float__(self) -> float:
        return float(self._get())

    def __int__(self) -> int:
        return int(self._get())

    def __getitem__(self, key: Any) -> Any:
        return self._get()[key]


install(
    MirroredTensors, skip=("__getitem__", "__eq__", "__ne__", "__hash__", "__iter__", "__bool__")
)


def selected(index: int, structure: Any) -> Any:
    """Return what a replica sees of a structure of values."""

    def one(value: Any) -> Any:
        if isinstance(value, DistributedValues) and not hasattr(value, "assign"):
            # What was reduced to one place, as CentralStorageStrategy does, is there for all.
            return value.values[index if len(value.values) > 1 else 0]
        return value

    return nest.map_structure(one, structure)


def regrouped(results: list[Any], always: bool = False) -> Any:
    """Return what replicas returned as one structure of distributed values.

    What all replicas returned alike stays as it is, unless `always` asks for one of each.
    """
    first = results[0]
    if len(results) == 1:
        return first
    if not isinstance(first, (DistributedValues, TypeSpec)):
        parts = [nest.children(result) for result in results]
        if all(part is not None for part in parts):
            _check_same(results, parts)
            columns = zip(*[[child for _, child in part or ()] for part in parts], strict=True)
            return nest.rebuild(first, [regrouped(list(each), always) for each in columns])
    if not always and all(result is first for result in results):
        return first
    owner = _owner(first)
    if owner is not None and all(_owner(result) is owner for result in results):
        return owner
    return PerReplica(results)


def _owner(value: Any) -> Any:
    """Return the distributed variable that a value is a part of, or None."""
    container = getattr(value, "_distributed_container", None)
    owner = None if container is None else container()
    # A variable as it is after an assignment refers to its owner too, but is no part of it.
    return owner if owner is not None and any(part is value for part in owner.values) else None


def _check_same(results: list[Any], parts: list[Any]) -> None:
    for result, part in zip(results, parts, strict=True):
        if type(result) is not type(results[0]) or len(part) != len(parts[0]):
            raise AssertionError(
                f"Replicas returned different structures: {results[0]!r} and {result!r}"
            )


_HERE = "tensorflow.python.distribute.values"
MirroredTensors.__name__ = MirroredTensors.__qualname__ = "Mirrored"
for _kind in (DistributedValues, PerReplica, PerReplicaSpec, Mirrored, MirroredTensors):
    _kind.__module__ = _HERE
