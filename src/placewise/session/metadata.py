"""What a traced run tells: when each step ran, where, and what it made, as RunMetadata."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from placewise import messages
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.graph.graph_def import to_node_def
from placewise.memory import ledgers
from placewise.ops.values import dtype_of, shape_of
from placewise.planning.plan import Plan


class Trace:
    """Collects (step, start, end, outputs) of one run; the traced program calls it."""

    def __init__(self) -> None:
        self.began = time.time_ns()
        self._zero = time.perf_counter_ns()
        self.rows: list[tuple[int, int, int, tuple[Any, ...]]] = []

    def clock(self) -> int:
        """Return the time in nanoseconds since the epoch, finely."""
        return self.began + time.perf_counter_ns() - self._zero

    def ran(self, step: int, start: int, *outputs: Any) -> None:
        """Write down that a step ended now."""
        end = self.clock()
        kinds = tuple(
            (dtype_of(value), shape_of(value), _bytes(value), _allocation(value))
            for value in outputs
        )
        self.rows.append((step, start, end, kinds))


def _dtype(value: Any) -> Any:
    """Return the dtype of a content, or of what a plan computes on NumPy's arrays."""
    is_number = isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "fiub"
    return as_dtype(value.dtype) if is_number else dtype_of(value)


def _bytes(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    return int(getattr(value, "nbytes", 0))


def _allocation(value: Any) -> tuple[str, int] | None:
    """Return who made the block a result has in a GPU's pool, and its size; None on a CPU."""
    found = ledgers.allocation_of(value) if isinstance(value, torch.Tensor) else None
    return None if found is None else (found.op_name, found.size)


def fill(metadata: Any, plan: Plan, trace: Trace, with_graphs: bool) -> None:
    """Put a trace into a RunMetadata message: one DeviceStepStats per device."""
    metadata.Clear()
    stats: dict[str, Any] = {}
    for number, start, end, outputs in trace.rows:
        step = plan.every[number]
        found = stats.get(step.device.name)
        if found is None:
            found = stats[step.device.name] = metadata.step_stats.dev_stats.add(
                device=step.device.name
            )
        _add(found.node_stats.add(), step, start, end, outputs, trace)
    if with_graphs:
        _partitions(metadata, plan)


def _add(node: Any, step: Any, start: int, end: int, outputs: Any, trace: Trace) -> None:
    name, label = _named(step)
    node.node_name, node.timeline_label = name, label
    node.all_start_micros = start // 1000
    node.all_start_nanos = start
    node.scheduled_micros = trace.began // 1000
    for field in ("op_end_rel", "all_end_rel"):
        setattr(node, f"{field}_micros", max((end - start) // 1000, 1))
        setattr(node, f"{field}_nanos", end - start)
    allocator = "cpu" if step.device.kind == "CPU" else f"GPU_{step.device.index}_bfc"
    made = [_made_bytes(asked, block, name) for _, _, asked, block in outputs]
    total = sum(made)
    if total:
        node.memory.add(allocator_name=allocator, total_bytes=total, peak_bytes=total,
                        live_bytes=total)  # fmt: skip
    for slot, (dtype, shape, asked, block) in enumerate(outputs):
        output = node.output.add(slot=slot)
        described = output.tensor_description
        described.dtype = dtype.as_datatype_enum
        described.shape.CopyFrom(TensorShape(shape).as_proto())
        described.allocation_description.requested_bytes = asked
        described.allocation_description.allocated_bytes = asked if block is None else block[1]
        described.allocation_description.allocator_name = allocator


def _made_bytes(asked: int, block: tuple[str, int] | None, name: str) -> int:
    """Return what a step took for a result: nothing where it passes on what another made."""
    if block is None:
        return asked
    return block[1] if block[0] in (name, "_Send") or name.startswith("copy_") else 0


def _named(step: Any) -> tuple[str, str]:
    if step.op is None:
        name = f"copy_{step.number}"
        source, target = (device.name.rpartition("/device:")[2] for device in
                          (step.source, step.device))  # fmt: skip
        return name, f"[MEMCPY] {name} = _Copy({source} to {target})"
    op = step.op
    inputs = [tensor.op.name for tensor in op.inputs] + [f"^{each.name}" for each in op.control]
    return op.name, f"{op.name} = {op.type}({', '.join(inputs)})"


def _partitions(metadata: Any, plan: Plan) -> None:
    """Add one GraphDef per device with what ran there."""
    graphs: dict[str, Any] = {}
    for step in plan.every:
        if step.op is None or step.op.blocks:
            continue
        graph = graphs.setdefault(step.device.name, messages.GraphDef())
        node = to_node_def(step.op)
        node.device = step.device.name
        graph.node.append(node)
    metadata.partition_graphs.extend(graphs.values())
