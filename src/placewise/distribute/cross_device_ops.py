"""How values on several devices become one value on each: by copies and ordinary ops."""

from __future__ import annotations

from typing import Any

from placewise.distribute.reduce_op import ReduceOp
from placewise.distribute.values import DistributedValues, PerReplica
from placewise.eager.device_scope import device
from placewise.ops.array.shape import identity
from placewise.ops.array.stacking import concat
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.adding import add_n


class CrossDeviceOps:
    """Brings values of replicas together, and the result back to their devices."""

    def __init__(self) -> None:
        self._options = None

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or mean on each of the destinations."""
        return spread(total(reduce_op, per_replica_value, destinations[0]), destinations)

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
        return spread(tensor, destinations)


class ReductionToOneDevice(CrossDeviceOps):
    """Everything is added up on one device, and copied back from there."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        super().__init__()
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or mean on each of the destinations."""
        where = self.reduce_to_device or destinations[0]
        found = total(reduce_op, per_replica_value, where, self.accumulation_fn)
        return spread(found, destinations)


class _AllReduce(CrossDeviceOps):
    """All devices share the work; large values go in as many packs as asked for."""

    def __init__(self, num_packs: int = 1) -> None:
        super().__init__()
        if num_packs < 0:
            raise ValueError(f"num_packs must be greater than zero, got {num_packs}.")
        self.num_packs = num_packs


class NcclAllReduce(_AllReduce):
    """NCCL on real GPUs; elsewhere by ordinary ops."""

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return the sum or mean on each of the destinations."""
        found = _by_nccl(reduce_op, per_replica_value, destinations)
        if found is not None:
            return found
        return super().reduce(reduce_op, per_replica_value, destinations, options)


class HierarchicalCopyAllReduce(_AllReduce):
    """Sums within halves of the machine first; here the sum on one device."""


def _by_nccl(reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
    """Return the result of NCCL if all parts are eager tensors on real CUDA devices, else None."""
    import torch

    if not isinstance(value, DistributedValues):
        return None
    contents = [getattr(part, "_value", None) for part in value.values]
    if not all(isinstance(each, torch.Tensor) and each.is_cuda for each in contents):
        return None
    from torch.cuda import nccl

    from placewise.ops.values import wrap

    made = [each.contiguous().clone() for each in contents]  # type: ignore[union-attr]
    nccl.all_reduce(made)
    if reduce_op is ReduceOp.MEAN:
        made = [each / len(made) for each in made]
    return PerReplica(
        [wrap(each, part._device) for each, part in zip(made, value.values, strict=True)]
    )


def total(reduce_op: ReduceOp, value: Any, where: str, accumulate: Any = None) -> Any:
    """Return the sum or mean of the replicas' values, on one device."""
    if not isinstance(value, DistributedValues):
        return value
    parts = list(value.values)
    with device(where):
        if all(isinstance(part, IndexedSlices) for part in parts):
            return _slices(reduce_op, parts)
        found = (accumulate or add_n)(parts) if len(parts) > 1 else parts[0]
        if reduce_op is ReduceOp.MEAN:
            found = found / len(parts)
    return found


def _slices(reduce_op: ReduceOp, parts: list[Any]) -> IndexedSlices:
    values = concat([part.values for part in parts], 0)
    indices = concat([part.indices for part in parts], 0)
    if reduce_op is ReduceOp.MEAN:
        values = values / len(parts)
    return IndexedSlices(values, indices, parts[0].dense_shape)


def spread(value: Any, destinations: Any) -> Any:
    """Return a copy of a value on each device; on one device, the value."""
    if len(destinations) == 1:
        return _on(value, destinations[0])
    return PerReplica([_on(value, where) for where in destinations])


def _on(value: Any, where: str) -> Any:
    with device(where):
        if isinstance(value, IndexedSlices):
            return IndexedSlices(identity(value.values), identity(value.indices), value.dense_shape)
        return identity(value)


for _kind in (CrossDeviceOps, ReductionToOneDevice, NcclAllReduce, HierarchicalCopyAllReduce):
    _kind.__module__ = "tensorflow.python.distribute.cross_device_ops"
