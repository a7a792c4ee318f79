"""`tensorflow.python.ops.resources`: tables and other state that initializers are run for."""

from __future__ import annotations

from typing import Any

from placewise.api import v1

_SHARED, _LOCAL = "resources", "local_resources"


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Have a resource made with the others of its graph."""
    resource = (handle, create_op, is_initialized_op)
    v1.add_to_collection(_SHARED if is_shared else _LOCAL, resource)


def shared_resources() -> list[Any]:
    """Return the resources of the default graph that its sessions share."""
    return v1.get_collection(_SHARED)


def local_resources() -> list[Any]:
    """Return the resources of the default graph that each session has to itself."""
    return v1.get_collection(_LOCAL)


def initialize_resources(resource_list: Any, name: str = "init") -> Any:
    """Return an operation that makes all resources of a list."""
    return v1.group(*(create for _, create, _ in resource_list), name=name)
