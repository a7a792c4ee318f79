"""Ops in which all workers of a cluster take part, at the same place of the same program.

They are stateful: neither dropped, merged nor run in another order than they were written in, so
that all workers make the same calls one after the other.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.errors import invalid
from placewise.core.shapes import Static
from placewise.distribute.worker_group import as_received, as_sent, groups
from placewise.ops.declare import Call, define

_reduce = define(
    "CollectiveReduceList(inputs: N*T; group: int, divisor: int = 1) -> outputs: N*T",
    stateful=True,
    doc="Sums over all workers of a list of tensors, in one message.",
)


@_reduce.shape
def reduce_shape(inputs: list[Static], *, group: int, divisor: int) -> Any:
    """The shapes stay as they are."""
    return [each.shape for each in inputs]


@_reduce.kernel
def reduce_kernel(inputs: list[torch.Tensor], *, group: int, divisor: int) -> list[torch.Tensor]:
    """Send all tensors as one, and cut the sum up again."""
    sent = [as_sent(each) for each in inputs]
    whole = sent[0] if len(sent) == 1 else torch.cat([each.flatten() for each in sent])
    whole = groups.by_number[group].summed(whole)
    if divisor != 1:
        if whole.is_floating_point():
            whole.div_(divisor)
        else:
            whole = torch.div(whole, divisor, rounding_mode="floor")
    if len(sent) == 1:
        return [as_received(whole, inputs[0])]
    parts = whole.split([each.numel() for each in sent])
    return [
        as_received(part.view(form.shape), like)
        for part, form, like in zip(parts, sent, inputs, strict=True)
    ]


@_reduce.gradient
def reduce_gradient(call: Call, *dys: Any) -> Any:
    """What all workers add up passes each one's gradient on to all."""
    flat = list(dys[0]) if len(dys) == 1 and isinstance(dys[0], (list, tuple)) else list(dys)
    return [_reduce(flat, group=call.attrs["group"], divisor=call.attrs["divisor"])]


_broadcast = define(
    "CollectiveBroadcast(input: T; group: int) -> output: T",
    stateful=True,
    differentiable=False,
    doc="The first worker's value.",
)


@_broadcast.shape
def broadcast_shape(input: Static, *, group: int) -> Any:
    """The shape stays as it is."""
    return input.shape


@_broadcast.kernel
def broadcast_kernel(input: torch.Tensor, *, group: int) -> torch.Tensor:
    """Take over the first worker's value."""
    return as_received(groups.by_number[group].from_first(as_sent(input)), input)


_gather = define(
    "CollectiveAllGather(input: T; group: int, axis: int = 0) -> output: T",
    stateful=True,
    differentiable=False,
    doc="The values of all workers, one after the other.",
)


@_gather.shape
def gather_shape(input: Static, *, group: int, axis: int) -> Any:
    """The axis along which values follow each other grows."""
    if input.shape is None:
        return None
    made = list(input.shape)
    made[axis] = None
    return tuple(made)


@_gather.kernel
def gather_kernel(input: torch.Tensor, *, group: int, axis: int) -> torch.Tensor:
    """Tell the sizes, then send all values in tensors as large as the largest."""
    workers = groups.by_number[group]
    if input.dim() == 0:
        raise invalid("all_gather: a value without axes cannot be gathered; give it one")
    shapes = [each.tolist() for each in workers.gathered(torch.tensor(input.shape))]
    axis %= input.dim()
    others = {tuple(s[:axis] + s[axis + 1 :]) for s in shapes}
    if len(others) > 1:
        raise invalid(f"all_gather: shapes differ in more than axis {axis}: {shapes}")
    sent = as_sent(input)
    most = max(shape[axis] for shape in shapes)
    if sent.shape[axis] < most:
        form = list(sent.shape)
        form[axis] = most - sent.shape[axis]
        sent = torch.cat([sent, sent.new_zeros(form)], axis)
    found = workers.gathered(sent.contiguous())
    cut = [each.narrow(axis, 0, shape[axis]) for each, shape in zip(found, shapes, strict=True)]
    return as_received(torch.cat(cut, axis), input)


def reduce_over_workers(values: list[Any], group: int, divisor: int = 1) -> list[Any]:
    """Return the sums (or means) of tensors over all workers: one message for each dtype."""
    by_dtype: dict[Any, list[int]] = {}
    for index, value in enumerate(values):
        by_dtype.setdefault(value.dtype, []).append(index)
    found: list[Any] = [None] * len(values)
    for indices in by_dtype.values():
        made = _reduce([values[i] for i in indices], group=group, divisor=divisor)
        for index, value in zip(indices, made, strict=True):
            found[index] = value
    return found


def broadcast_from_first(value: Any, group: int) -> Any:
    """Return the first worker's value."""
    return _broadcast(value, group=group)


def gather_over_workers(value: Any, group: int, axis: int) -> Any:
    """Return the values of all workers, one after the other along an axis."""
    return _gather(value, group=group, axis=axis)
