"""Traced runs as a CostGraphDef, for sessions with `graph_options.build_cost_model`."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import TensorShape
from placewise.planning.plan import Plan
from placewise.session.metadata import Trace


def add_costs(graph: Any, plan: Plan, trace: Trace) -> None:
    """Add a node for each operation that ran: where, how long, its inputs and its results.

    An operation that ran in a loop has one node, with the time of all its runs.
    """
    nodes: dict[Any, Any] = {}
    for number, start, end, outputs, _ in trace.rows:
        step = plan.every[number]
        if step.op is None:  # a copy is not an operation of the graph
            continue
        node = nodes.get(step.op)
        if node is None:
            node = nodes[step.op] = graph.node.add(
                name=step.op.name, id=len(nodes), device=step.device.name
            )
            _add_inputs(node, step.op, nodes)
            _add_outputs(node, outputs)
        node.compute_cost += max((end - start) // 1000, 1)


def _add_inputs(node: Any, op: Any, nodes: dict[Any, Any]) -> None:
    for tensor in op.inputs:
        if tensor.op in nodes:
            node.input_info.add(
                preceding_node=nodes[tensor.op].id, preceding_port=tensor.value_index
            )
    node.control_input.extend(nodes[before].id for before in op.control if before in nodes)


def _add_outputs(node: Any, outputs: tuple[Any, ...]) -> None:
    for dtype, shape, size_bytes, _ in outputs:
        info = node.output_info.add(size=size_bytes, alias_input_port=-1)
        info.dtype = dtype.as_datatype_enum
        info.shape.CopyFrom(TensorShape(shape).as_proto())
