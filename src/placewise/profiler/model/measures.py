"""What is measured of each operation of a graph, and of each group of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from placewise.profiler.model.float_operations import Shapes, float_operations

# The fields of GraphNodeProto and MultiGraphNodeProto, by the option that selects them.
FIELDS = {
    "micros": "exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
    "cpu_micros": "cpu_exec_micros",
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "params": "parameters",
    "float_ops": "float_ops",
}
_VARIABLES = ("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp", "VarIsInitializedOp")


@dataclass
class Measures:
    """Numbers by option: time, bytes, parameters, float operations."""

    values: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FIELDS, 0))

    def add(self, other: Measures) -> None:
        """Add the numbers of another."""
        for key, value in other.values.items():
            self.values[key] += value


@dataclass
class Measured:
    """One operation: its types, the shape if it is a variable, and its numbers."""

    name: str
    op_type: str
    types: tuple[str, ...]
    device: str
    shape: list[int] | None
    own: Measures


def measured_operations(graph: Any, steps: Iterable[Any]) -> list[Measured]:
    """Return each operation of a graph with its numbers; those of `steps` are means over them."""
    runs = [_runs(step) for step in steps]
    trainable = {
        name.split(":")[0]
        for variable in graph.get_collection("trainable_variables")
        for name in (variable.name, getattr(getattr(variable, "handle", None), "name", ""))
    }
    return [_measured(op, trainable, runs) for op in graph.get_operations()]


def _measured(op: Any, trainable: set[str], runs: list[dict[str, _Run]]) -> Measured:
    run_of_op = [run[op.name] for run in runs if op.name in run]
    device = run_of_op[0].device if run_of_op else op.device
    types = [op.type, device]
    shape = None
    if op.type in _VARIABLES[:4]:
        shape = _variable_shape(op)
        types += ["_trainable_variables"] if op.name in trainable else []
    own = Measures()
    own.values["params"] = prod(shape) if shape is not None else 0
    shapes = _shapes(op, runs)
    own.values["float_ops"] = 0 if shapes is None else float_operations(op, shapes)
    for key in ("micros", "accelerator_micros", "cpu_micros", "bytes", "peak_bytes"):
        own.values[key] = sum(run.values[key] for run in run_of_op) // max(len(run_of_op), 1)
    own.values["output_bytes"] = own.values["bytes"]
    return Measured(op.name, op.type, tuple(types), device, shape, own)


def _variable_shape(op: Any) -> list[int] | None:
    shape = op.attrs.get("shape")
    if shape is None and op.type != "VarHandleOp":
        output = op.outputs[0].shape
        shape = output.as_list() if output.is_fully_defined() else None
    return None if shape is None or None in tuple(shape) else [int(size) for size in shape]


@dataclass
class _Run:
    """What a traced step says of one operation."""

    device: str
    values: dict[str, int]
    shapes: list[list[int]]


def _runs(metadata: Any) -> dict[str, _Run]:
    """Return what RunMetadata says of each operation; several runs of one add up."""
    runs: dict[str, _Run] = {}
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            shapes = [
                [dim.size for dim in output.tensor_description.shape.dim] for output in node.output
            ]
            keys = ("micros", "accelerator_micros", "cpu_micros", "bytes", "peak_bytes")
            run = runs.setdefault(
                node.node_name, _Run(device.device, dict.fromkeys(keys, 0), shapes)
            )
            micros = max(node.all_end_rel_micros, 0)
            is_accelerator = "/device:CPU" not in device.device
            run.values["micros"] += micros
            run.values["accelerator_micros" if is_accelerator else "cpu_micros"] += micros
            run.values["bytes"] += sum(memory.total_bytes for memory in node.memory)
            run.values["peak_bytes"] += sum(memory.peak_bytes for memory in node.memory)
    return runs


def _shapes(op: Any, runs: list[dict[str, _Run]]) -> Shapes | None:
    """Return the shapes of inputs and outputs, as known in the graph or seen in a run."""
    inputs = [_shape(tensor, runs) for tensor in op.inputs]
    outputs = [_shape(tensor, runs) for tensor in op.outputs]
    known = [shape for shape in [*inputs, *outputs] if shape is not None]
    return (
        Shapes(known[: len(inputs)], known[len(inputs) :])
        if len(known) == len(inputs) + len(outputs)
        else None
    )


def _shape(tensor: Any, runs: list[dict[str, _Run]]) -> list[int] | None:
    if tensor.shape.is_fully_defined():
        dims: list[int] = tensor.shape.as_list()
        return dims
    for run in runs:
        seen = run.get(tensor.op.name)
        if seen is not None and tensor.value_index < len(seen.shapes):
            return seen.shapes[tensor.value_index]
    return None


def matches(text: str, patterns: list[str]) -> bool:
    """Does one of the patterns match the whole text?"""
    return any(re.fullmatch(pattern, text) for pattern in patterns)
