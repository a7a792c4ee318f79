"""Operations that wait for others: what `tf.group` and `tf.tuple` make in a graph."""

from __future__ import annotations

from typing import Any, cast

from placewise.core import nest
from placewise.core.tensor import Tensor
from placewise.graph.graph import Graph
from placewise.graph.operation import Operation
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import no_op
from placewise.ops.indexed_slices import IndexedSlices


def group(graph: Graph, inputs: Any, name: str | None) -> Operation:
    """Return an operation that runs after all inputs; one per device in between if they differ."""
    by_device: dict[str, list[Operation]] = {}
    with graph.name_scope(name or "group_deps") as scope:
        if not inputs:
            return cast("Operation", no_op(name=scope))
        for source in nest.flatten(list(inputs)):
            if not hasattr(source, "device"):
                raise TypeError(
                    f"Expected tf.group() expected Tensor arguments not '{source}' with type "
                    f"'{type(source)}'"
                )
            op = graph.as_operation(source.values if isinstance(source, IndexedSlices) else source)
            by_device.setdefault(op.device, []).append(op)
        if len(by_device) == 1:
            ((device, ops),) = by_device.items()
            return _waiting(graph, device, ops, scope)
        between = [_waiting(graph, device, by_device[device], None) for device in sorted(by_device)]
        return _waiting(graph, "", between, scope)


def _waiting(graph: Graph, device: str, ops: list[Operation], name: str | None) -> Operation:
    with graph.control_dependencies(ops):
        if not device:
            return cast("Operation", no_op(name=name))
        with graph.device(device):
            return cast("Operation", no_op(name=name))


def with_control_inputs(
    graph: Graph, tensors: Tensor, control_inputs: Any, name: str | None
) -> list[Any]:
    """Return the tensors, each available only once all of them and `control_inputs` are."""
    with graph.name_scope(name or "tuple"):
        tensors_given = [
            tensor
            if tensor is None or isinstance(tensor, (Operation, IndexedSlices))
            else convert_to_tensor(tensor)
            for tensor in tensors
        ]
        waited = [item for item in tensors_given if item is not None]
        waited += [graph.as_operation(source) for source in control_inputs or ()]
        if not any(item is not None for item in tensors_given):
            raise ValueError(f"Must have at least one Tensor: {tensors}")
        operations = list(
            dict.fromkeys(
                graph.as_operation(item.values if isinstance(item, IndexedSlices) else item)
                for item in waited
            )
        )
        gate = group(graph, sorted(operations, key=lambda op: op.id), None)
        return [None if item is None else passed(graph, gate, item) for item in tensors_given]


def passed(graph: Graph, gate: Any, value: Any) -> Any:
    """Return a tensor (or an operation, as it is) that is there only after `gate`."""
    if isinstance(value, Operation):
        return value
    if isinstance(value, IndexedSlices):
        values = passed(graph, gate, value.values)
        return IndexedSlices(values, value.indices, value.dense_shape)
    with graph.colocate_with(value.op), graph.control_dependencies([gate]):
        return identity(value, name="control_dependency")
