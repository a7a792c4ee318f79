"""An optimizer's step in the replicas of a strategy: one for all, with the sum of their gradients.

What a strategy is, is not known here: the replica in force brings the others together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core.scope import current
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.order import group
from placewise.training.slots import apart, is_eager

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.operation import Operation
    from placewise.training.rule_optimizer import RuleOptimizer


def replica_in_force() -> Any:
    """Return the replica whose code runs now; None outside of a strategy, or across replicas."""
    places = current.distribution
    return places[-1].replica if places else None


def whole(variable: Any) -> Any:
    """Return the distributed variable that a variable is a part of, or the variable."""
    container = getattr(variable, "_distributed_container", None)
    return variable if container is None else container()


def apply_together(
    optimizer: Any, replica: Any, used: list[tuple[Any, Any]], global_step: Any, name: str | None
) -> Any:
    """Apply the sum of all replicas' gradients to every part of each variable."""
    variables = [whole(variable) for _, variable in used]
    step = None if global_step is None else whole(global_step)

    def apply(strategy: Any, gradients: list[Any]) -> Any:
        pairs = list(zip(gradients, variables, strict=True))
        summed = strategy.extended.batch_reduce_to("SUM", pairs)
        return _applied(optimizer, strategy, variables, summed, step, name)

    return replica.merge_call(apply, args=([gradient for gradient, _ in used],))


def _applied(
    optimizer: RuleOptimizer,
    strategy: Any,
    variables: list[Any],
    gradients: list[Any],
    step: Any,
    name: Any,
) -> Any:
    graph = None if is_eager() else get_default_graph()
    with apart(variables):
        optimizer._create_slots(variables)
    with contextlib.nullcontext() if graph is None else graph.name_scope(name or optimizer._name):
        optimizer._prepare()
        updates = [
            update
            for variable, gradient in zip(variables, gradients, strict=True)
            # A whole variable, and its slots, stand for the part that is being updated.
            for update in _on_each_part(
                strategy, variable, lambda own, it=variable: optimizer._update(own, it), gradient
            )
        ]
        extended = strategy.extended
        done = _as_list(
            extended.update_non_slot(
                extended.non_slot_devices(variables),
                lambda: optimizer._finish(updates, "update"),
                group=False,
            )
        )
        if step is not None:
            with contextlib.nullcontext() if graph is None else graph.control_dependencies(done):
                done = _on_each_part(strategy, step, lambda one: step.assign_add(one), 1)
        return None if graph is None else _as_train_op(graph, group(*done))


def _on_each_part(
    strategy: Any, variable: Any, change: Callable[..., Any], value: Any
) -> list[Any]:
    found = strategy.extended.update(
        variable, lambda part, own: change(own), args=(value,), group=False
    )
    return _as_list(found)


def _as_list(found: tuple[Any, ...] | None) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


def _as_train_op(graph: Graph, done: Operation) -> Any:
    operation = graph.as_operation(done)
    train_ops = graph.get_collection_ref("train_op")
    if operation not in train_ops:
        train_ops.append(operation)
    return operation
