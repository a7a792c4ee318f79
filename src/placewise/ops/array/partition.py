"""Rows dealt out to several tensors and put together again: dynamic_partition, dynamic_stitch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, merge
from placewise.core.tensor import Tensor
from placewise.memory.host import reserve_by_value
from placewise.ops.array.contents import is_text, product, signed, text_full
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.out_of_range import are_inside
from placewise.ops.array.shape import reshape, shape_of, size
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed, check_output_count


@op(
    "DynamicPartition(data: T, partitions: int32;"
    " num_partitions: int >= 1) -> outputs: num_partitions*T"
)
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> Any:
    """Return a list of tensors: row i of `data` goes to number `partitions[i]`."""
    return dynamic_partition.bind(data, partitions, num_partitions=int(num_partitions), name=name)


@dynamic_partition.shape
def dynamic_partition_shape(data: Static, partitions: Static, *, num_partitions: int) -> list[Dims]:
    check_output_count("num_partitions", num_partitions)
    if data.shape is None or partitions.shape is None:
        return [None] * num_partitions
    count = len(partitions.shape)
    merge(data.shape[:count], partitions.shape)
    return [(None, *data.shape[count:])] * num_partitions


@dynamic_partition.kernel
def dynamic_partition_kernel(data: Any, partitions: Any, *, num_partitions: int) -> Any:
    count = partitions.dim()
    if tuple(data.shape[:count]) != tuple(partitions.shape):
        raise invalid(
            "data.shape must start with partitions.shape, got data.shape = "
            f"{bracketed(data.shape)}, partitions.shape = {bracketed(partitions.shape)}"
        )
    flat = partitions.reshape(-1)
    rows = data.reshape((product(partitions.shape), *data.shape[count:]))
    if not flat.is_cpu:
        return _dealt_unchecked(rows, flat, num_partitions)
    wrong = torch.nonzero((flat < 0) | (flat >= num_partitions))
    if wrong.numel():
        place = np.unravel_index(int(wrong[0]), tuple(partitions.shape)) if count else ()
        shown = f"[{','.join(map(str, place))}]" if count else ""
        raise invalid(
            f"partitions{shown} = {int(flat[int(wrong[0])])} is not in [0, {num_partitions})"
        )
    order = torch.argsort(flat, stable=True)
    lengths = torch.bincount(flat, minlength=num_partitions).tolist()
    if is_text(rows):
        return np.split(rows[order.numpy()], np.cumsum(lengths)[:-1])
    return list(rows.index_select(0, order).split(lengths))


def _dealt_unchecked(rows: Any, partitions: Any, count: int) -> list[Any]:
    """Return the parts; rows of no partition there is are in none."""
    known = torch.where(are_inside(partitions, count), partitions, count).long()
    order = torch.argsort(known, stable=True)
    lengths = known.new_zeros(count + 1).index_add_(0, known, torch.ones_like(known))
    # Reading how long the parts are waits for the device, as TensorFlow does.
    return list(rows.index_select(0, order).split(lengths.tolist())[:count])


@dynamic_partition.gradient
def dynamic_partition_gradient(call: Call, *dys: Any) -> Any:
    data, partitions = call.inputs
    places = reshape(range_of(size(partitions)), shape_of(partitions))
    dealt = dynamic_partition(places, partitions, call.attrs["num_partitions"])
    return reshape(dynamic_stitch(dealt, list(dys)), shape_of(data)), None


@op("DynamicStitch(indices: N*int32 >= 1, data: N*T >= 1) -> merged: T")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Return one tensor whose row `indices[m][i]` is `data[m][i]`; later ones win."""
    indices, data = list(indices), list(data)
    if len(indices) != len(data):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match "
            f"length {len(indices)} of argument 'indices'."
        )
    if not data:
        raise invalid("OpKernel 'DynamicStitch' has constraint on attr 'T' not in NodeDef '[N=0]'")
    return dynamic_stitch.bind(indices, data, name)


@dynamic_stitch.shape
def dynamic_stitch_shape(indices: list[Static], data: list[Static]) -> Dims:
    rest: Dims = None
    for where, rows in zip(indices, data, strict=True):
        if where.shape is not None and rows.shape is not None:
            merge(rows.shape[: len(where.shape)], where.shape)
            rest = merge(rest, rows.shape[len(where.shape) :])
    if rest is None:
        return None
    values = [where.value for where in indices if where.value is not None]
    if len(values) < len(indices):
        return (None, *rest)
    largest = max((int(np.max(value)) for value in values if value.size), default=-1)
    return (largest + 1, *rest)


@dynamic_stitch.kernel
def dynamic_stitch_kernel(indices: Any, data: Any) -> Any:
    for m, (where, rows) in enumerate(zip(indices, data, strict=True)):
        if tuple(rows.shape[: where.dim()]) != tuple(where.shape):
            raise invalid(
                f"data[{m}].shape = {bracketed(rows.shape)} does not start with indices[{m}].shape "
                f"= {bracketed(where.shape)}"
            )
    rests = [tuple(rows.shape[w.dim() :]) for w, rows in zip(indices, data, strict=True)]
    for m, rest in enumerate(rests):
        if rest != rests[0]:
            raise invalid(
                f"Need data[0].shape[{indices[0].dim()}:] = data[{m}].shape[{indices[m].dim()}:], "
                f"got data[0].shape = {bracketed(data[0].shape)}, data[{m}].shape = "
                f"{bracketed(data[m].shape)}, indices[0].shape = {bracketed(indices[0].shape)}, "
                f"indices[{m}].shape = {bracketed(indices[m].shape)}"
            )
    places = torch.cat([where.reshape(-1) for where in indices]).long()
    # Reading the largest index, which is the size of the result, waits for a device.
    least, most = torch.stack(torch.aminmax(places)).tolist() if places.numel() else (0, -1)
    if least < 0:
        raise invalid(f"indices[{int(torch.nonzero(places < 0)[0])}] is out of range")
    shape = (most + 1, *rests[0])
    rows = [
        each.reshape((product(where.shape), *rests[0]))
        for where, each in zip(indices, data, strict=True)
    ]
    if is_text(data[0]):
        texts = text_full(shape, b"")
        for place, row in zip(places.tolist(), np.concatenate(rows), strict=True):
            texts[place] = row
        return texts
    if data[0].is_cpu:
        reserve_by_value(shape, data[0].dtype)
    made = torch.zeros(shape, dtype=data[0].dtype, device=data[0].device)
    signed(made).index_copy_(0, places, signed(torch.cat(rows)))
    return made


@dynamic_stitch.gradient
def dynamic_stitch_gradient(call: Call, dy: Tensor) -> Any:
    indices = call.inputs[0]
    return [None] * len(indices), [gather(dy, where) for where in indices]


parallel_dynamic_stitch = define(
    "ParallelDynamicStitch(indices: N*int32 >= 1, data: N*T >= 1) -> merged: T",
    doc="Return what DynamicStitch does, in no given order where rows repeat.",
)
parallel_dynamic_stitch.shape(dynamic_stitch_shape)
parallel_dynamic_stitch.kernel(dynamic_stitch_kernel)
parallel_dynamic_stitch.gradient(dynamic_stitch_gradient)
