"""How values on several devices become one value on each: by copies and ordinary ops."""

from __future__ import annotations

from typing import Any

import torch
from torch.cuda import nccl

from placewise.distribute.reduce_op import ReduceOp
from placewise.distribute.values import DistributedValues, MirroredTensors
from placewise.eager.device_scope import device
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import identity
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.add_n import add_n
from placewise.ops.values import wrap


class CrossDeviceOps:
    """Brings values of replicas together, and the result back to their devices."""

    def __init__(self) -> None:
        self._options = None

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or mean on each of the destinations."""
        places = devices_of(destinations)
        return spread(self.summed(reduce_op, per_replica_value, places[0]), places)

    def summed(self, reduce_op: ReduceOp, value: Any, where: str) -> Any:
        """Return the sum or mean on one device."""
        return total(reduce_op, value, where)

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Return the sums or means of several values."""
        return [
            self.reduce(reduce_op, value, destinations)
            for value, destinations in value_destination_pairs
        ]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Return a copy of a tensor on each destination."""
        return spread(tensor, devices_of(destinations))


class ReductionToOneDevice(CrossDeviceOps):
    """Everything is added up on one device, and copied back from there."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        super().__init__()
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def summed(self, reduce_op: ReduceOp, value: Any, where: str) -> Any:
        """Return the sum or mean on the device chosen for it."""
        return total(reduce_op, value, self.reduce_to_device or where, self.accumulation_fn)


class _AllReduce(CrossDeviceOps):
    """All devices share the work."""

    _called = ""

    def __init__(self, num_packs: int = 1) -> None:
        super().__init__()
        if num_packs < 0:
            raise ValueError(
                f"{self._called} requires num_packs >= 0, but {num_packs} is specified"
            )
        self.num_packs = num_packs


class NcclAllReduce(_AllReduce):
    """NCCL on real GPUs; elsewhere by ordinary ops."""

    _called = "NCCL all-reduce"

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or mean on each of the destinations."""
        found = _by_nccl(reduce_op, per_replica_value, devices_of(destinations))
        if found is not None:
            return found
        return super().reduce(reduce_op, per_replica_value, destinations, options)


class HierarchicalCopyAllReduce(_AllReduce):
    """Sums within halves of the machine first; here the sum on one device."""

    _called = "HierarchicalCopy"


def devices_of(destinations: Any) -> tuple[str, ...]:
    """Return the devices that a destination means: a name, names, or those of a value."""
    if isinstance(destinations, str):
        return (destinations,)
    if isinstance(destinations, DistributedValues):
        return tuple(_device_of(part) for part in destinations.values)
    if isinstance(destinations, (list, tuple)):
        return tuple(str(each) for each in destinations)
    return (_device_of(destinations),)


def _device_of(part: Any) -> str:
    if isinstance(part, IndexedSlices):
        part = part.values
    return str(getattr(part, "device", "") or "")


def _by_nccl(reduce_op: ReduceOp, value: Any, places: tuple[str, ...]) -> Any:
    """Return the result of NCCL if all parts are eager tensors on real CUDA devices, else None."""
    if not isinstance(value, DistributedValues) or len(places) != len(value.values):
        return None
    contents = [getattr(part, "_value", None) for part in value.values]
    if not all(isinstance(each, torch.Tensor) and each.is_cuda for each in contents):
        return None
    if len({each.device for each in contents}) < len(contents):  # type: ignore[union-attr]
        return None  # NCCL refuses two parts on one card

    made = [each.contiguous().clone() for each in contents]  # type: ignore[union-attr]
    nccl.all_reduce(made)
    if reduce_op is ReduceOp.MEAN:
        made = [each / len(made) for each in made]
    return MirroredTensors(
        [wrap(each, part._device) for each, part in zip(made, value.values, strict=True)]
    )


def total(
    reduce_op: ReduceOp, value: Any, where: str, accumulate: Any = None, count: int | None = None
) -> Any:
    """Return the sum or mean of the replicas' values, on one device.

    `count` is how many values a mean is over, where there are more than these.
    """
    parts = list(value.values) if isinstance(value, DistributedValues) else [value]
    with device(where or None):
        if all(isinstance(part, IndexedSlices) for part in parts):
            found = _joined(parts)
            if reduce_op is ReduceOp.MEAN:
                values = found.values / (count or len(parts))
                found = IndexedSlices(values, found.indices, found.dense_shape)
            return found
        found = (accumulate or add_n)(parts) if len(parts) > 1 else parts[0]
        if reduce_op is ReduceOp.MEAN and (count or len(parts)) > 1:
            found = found / (count or len(parts))
    return found


def _joined(parts: list[Any]) -> IndexedSlices:
    if len(parts) == 1:
        return parts[0]  # type: ignore[no-any-return]
    values = concat([part.values for part in parts], 0)
    indices = concat([part.indices for part in parts], 0)
    return IndexedSlices(values, indices, parts[0].dense_shape)


def spread(value: Any, destinations: tuple[str, ...]) -> Any:
    """Return a copy of a value on each device; on one device, the value."""
    if len(destinations) == 1:
        return _on(value, destinations[0])
    return MirroredTensors([_on(value, where) for where in destinations])


def _on(value: Any, where: str) -> Any:
    with device(where or None):
        if isinstance(value, IndexedSlices):
            return IndexedSlices(identity(value.values), identity(value.indices), value.dense_shape)
        return identity(value)


for _kind in (CrossDeviceOps, ReductionToOneDevice, NcclAllReduce, HierarchicalCopyAllReduce):
    _kind.__module__ = "tensorflow.python.distribute.cross_device_ops"
