"""Traced runs as RunMetadata: when and where each step ran, and what it allocated."""

from __future__ import annotations

import time
from typing import Any
from weakref import ref

import numpy as np
import torch

from placewise import messages
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.graph.graph_def import to_node_def
from placewise.memory import ledgers
from placewise.memory.allocation import owner_of
from placewise.memory.ledger import Ledger
from placewise.ops.values import HOST_KEPT, dtype_of, shape_of
from placewise.planning.plan import Plan, Step


class Trace:
    """Collects (step, start, end, outputs, bytes in use) of a run; the traced program calls it."""

    def __init__(self) -> None:
        self.began = time.time_ns()
        self._zero = time.perf_counter_ns()
        self.rows: list[tuple[int, int, int, tuple[Any, ...], dict[str, int]]] = []
        self._seen: dict[int, Any] = {}  # weak references to what is on cards, by number

    def clock(self) -> int:
        """Return the time in nanoseconds since the epoch, finely."""
        return self.began + time.perf_counter_ns() - self._zero

    def ran(self, step: int, start: int, *outputs: Any) -> None:
        """Write down that a step ended now."""
        end = self.clock()
        kinds = tuple(
            (dtype_of(value), shape_of(value), _bytes(value), self._allocation(step, value))
            for value in outputs
        )
        in_use = {ledger.device.name: _in_use_bytes(ledger) for ledger in ledgers.in_use()}
        self.rows.append((step, start, end, kinds, in_use))

    def _allocation(self, step: int, value: Any) -> tuple[Any, int] | None:
        """Return who made the block that a result has in a GPU's memory, and its size.

        The name of the op, or the number of the step where torch counts; None on a CPU.
        """
        if not isinstance(value, torch.Tensor):
            return None
        allocation = ledgers.allocation_of(value)
        if allocation is not None:
            return allocation.op_name, allocation.size
        if value.is_cpu:
            return None
        owner = owner_of(value)
        known = self._seen.get(id(owner))
        is_new = known is None or known() is not owner
        if is_new:
            self._seen[id(owner)] = ref(owner)
        return step if is_new else None, owner.nbytes


def _dtype(value: Any) -> Any:
    """Return the dtype of a content, or of what a plan computes on NumPy's arrays."""
    is_number = isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "fiub"
    return as_dtype(value.dtype) if is_number else dtype_of(value)


def _bytes(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    return int(getattr(value, "nbytes", 0))


def _in_use_bytes(memory: Any) -> int:
    counted = memory.settle() if isinstance(memory, Ledger) else memory
    return int(counted.bytes_in_use)


def fill(metadata: Any, plan: Plan, trace: Trace) -> None:
    """Put a trace into a RunMetadata message: one DeviceStepStats per device."""
    metadata.Clear()
    stats: dict[str, Any] = {}
    for number, start, end, outputs, in_use in trace.rows:
        step = plan.every[number]
        device_stats = stats.get(step.device.name)
        if device_stats is None:
            device_stats = stats[step.device.name] = metadata.step_stats.dev_stats.add(
                device=step.device.name
            )
        node = device_stats.node_stats.add()
        _add(node, step, start, end, trace)
        _add_memory(node, step, outputs, in_use.get(step.device.name))


def _add(node: Any, step: Step, start: int, end: int, trace: Trace) -> None:
    node.node_name, node.timeline_label = _named(step)
    node.all_start_micros = start // 1000
    node.all_start_nanos = start
    node.scheduled_micros = trace.began // 1000
    for field in ("op_end_rel", "all_end_rel"):
        setattr(node, f"{field}_micros", max((end - start) // 1000, 1))
        setattr(node, f"{field}_nanos", end - start)


def _add_memory(node: Any, step: Step, outputs: tuple[Any, ...], in_use_bytes: int | None) -> None:
    """Add the results of a step, and an entry per allocator for the memory they took.

    What is kept on the host, such as int32, takes nothing of a GPU's pool. `in_use_bytes` are those
    of the pool, or of torch's.
    """
    pool = step.device.allocator_name
    totals: dict[str, int] = {}
    for slot, (dtype, shape, asked, block) in enumerate(outputs):
        is_outside = block is None and (dtype in HOST_KEPT or in_use_bytes is not None)
        allocator = "cpu" if is_outside else pool
        nbytes = _made_bytes(asked, block, node.node_name, step.number)
        totals[allocator] = totals.get(allocator, 0) + nbytes
        described = node.output.add(slot=slot).tensor_description
        described.dtype = dtype.as_datatype_enum
        described.shape.CopyFrom(TensorShape(shape).as_proto())
        described.allocation_description.requested_bytes = asked
        described.allocation_description.allocated_bytes = asked if block is None else block[1]
        described.allocation_description.allocator_name = allocator
    for allocator, total in totals.items():
        if total:
            node.memory.add(
                allocator_name=allocator,
                total_bytes=total,
                peak_bytes=total,
                live_bytes=total,
                allocator_bytes_in_use=0 if allocator == "cpu" else in_use_bytes or 0,
            )


def _made_bytes(asked: int, block: tuple[Any, int] | None, name: str, number: int) -> int:
    """Return what a step took for a result: nothing where it passes on what another made."""
    if block is None:
        return asked
    return block[1] if block[0] in (name, number, "_Send") or name.startswith("copy_") else 0


def _named(step: Step) -> tuple[str, str]:
    if step.op is None:
        name = f"copy_{step.number}"
        devices = (step.source or step.device, step.device)  # a fetch stays: it reads from a card
        source, target = (device.name.rpartition("/device:")[2] for device in devices)
        return name, f"[MEMCPY] {name} = _Copy({source} to {target})"
    op = step.op
    inputs = [tensor.op.name for tensor in op.inputs] + [f"^{before.name}" for before in op.control]
    return op.name, f"{op.name} = {op.type}({', '.join(inputs)})"


def set_partition_graphs(metadata: Any, plan: Plan) -> None:
    """Set one GraphDef per device, with what ran there.

    A run that only fetches constants has one, too: TensorFlow's programs count on the first.
    """
    del metadata.partition_graphs[:]
    graphs: dict[str, Any] = {}
    for step in plan.every:
        if step.op is None or step.op.blocks:
            continue
        graph = graphs.setdefault(step.device.name, messages.GraphDef())
        node = to_node_def(step.op)
        node.device = step.device.name
        graph.node.append(node)
    metadata.partition_graphs.extend(graphs.values() or [messages.GraphDef()])
