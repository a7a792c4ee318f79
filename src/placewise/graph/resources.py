"""State of a graph that initializers are run for, beside variables and tables."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.names import name_scope
from placewise.eager.device_scope import device
from placewise.graph.collections import GraphKeys
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.concat import stack
from placewise.ops.array.creation import constant
from placewise.ops.array.where import boolean_mask
from placewise.ops.flow.order import group
from placewise.ops.math.logic import logical_not


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Have a resource made with the others of its graph."""
    collection = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    get_default_graph().add_to_collection(collection, (handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """Return the resources of the default graph that its sessions share."""
    return get_default_graph().get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """Return the resources of the default graph that each session has to itself."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list: Any, name: str = "init") -> Any:
    """Return an operation that makes all resources of a list."""
    return group(*(create for _, create, _ in resource_list), name=name)


def report_uninitialized_resources(
    resource_list: Any = None, name: str = "report_uninitialized_resources"
) -> Any:
    """Return a tensor with the names of the resources that were not made yet."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with name_scope(name), device("/cpu:0"):
        if not resource_list:
            return constant([], dtypes.string)
        missing = logical_not(stack([known for _, _, known in resource_list]))
        names = constant([handle.name for handle, _, _ in resource_list])
        return boolean_mask(names, missing)
