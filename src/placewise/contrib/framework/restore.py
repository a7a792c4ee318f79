"""Values for variables: from a checkpoint, or given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.contrib.framework.variables import (
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
)
from placewise.core.log import get_logger
from placewise.graph.inputs import placeholder
from placewise.ops.flow.order import group
from placewise.saving.reader import load_checkpoint
from placewise.saving.saver import Saver


def _by_name(var_list: Any) -> dict[str, list[Any]]:
    """Return name in the checkpoint → variables, of a list or a dictionary of variables."""
    if not isinstance(var_list, dict):
        found: dict[str, list[Any]] = {}
        for var in var_list:
            found.setdefault(get_variable_full_name(var), []).append(var)
        return found
    return {
        name: list(given) if isinstance(given, (list, tuple)) else [given]
        for name, given in var_list.items()
    }


def _present(path: str, wanted: dict[str, list[Any]]) -> dict[str, list[Any]]:
    reader = load_checkpoint(path)
    for name in wanted:
        if not reader.has_tensor(name):
            get_logger().warning("Variable %s missing in checkpoint %s", name, path)
    return {name: given for name, given in wanted.items() if reader.has_tensor(name)}


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """Return an operation that takes values from a checkpoint, and the dictionary to feed it."""
    reader = load_checkpoint(model_path)
    operations, feeds = [], {}
    for name, variables in _by_name(var_list).items():
        if not reader.has_tensor(name):
            said = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(said)
            get_logger().warning(said)
            continue
        value = reader.get_tensor(name)
        for var in variables:
            if not var.shape.is_compatible_with(value.shape) and value.size != np.prod(
                var.shape.as_list()
            ):
                raise ValueError(
                    f"Total size of new array must be unchanged for {name} lh_shape: "
                    f"[{value.shape}], rh_shape: [{var.shape.as_list()}]"
                )
            operation, fed = _fed(var, value.reshape(var.shape.as_list()))
            operations.append(operation)
            feeds.update(fed)
    return group(*operations), feeds


def _fed(var: Any, value: Any) -> tuple[Any, dict[Any, Any]]:
    given = placeholder(var.dtype.base_dtype, var.shape, name=f"{var.op.name}/value")
    return var.assign(given), {given: value}


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """Return a function that gives a session's variables their values from a checkpoint."""
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        named = _present(model_path, _by_name(var_list))
        var_list = {name: given[0] for name, given in named.items()}
        if not var_list:
            get_logger().warning("No Variables to restore")
            return None
    saver = Saver(var_list, reshape=reshape_variables)

    def restore(session: Any) -> None:
        saver.restore(session, model_path)

    return restore


def assign_from_values(var_names_to_values: dict[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """Return an operation that gives variables values by name, and the dictionary to feed it."""
    operations, feeds = [], {}
    for name, value in var_names_to_values.items():
        found = [v for v in get_variables_by_name(name) if v.op.name == name]
        if not found:
            found = [v for v in get_variables() if v.op.name == name]
        if not found:
            raise ValueError(f"Variable [{name}] wasn't found")
        if len(found) > 1:
            raise ValueError(f"Multiple variables with same name: {name}")
        operation, fed = _fed(found[0], np.asarray(value).reshape(found[0].shape.as_list()))
        operations.append(operation)
        feeds.update(fed)
    return group(*operations), feeds


def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Callable[[Any], Any]:
    """Return a function that gives a session's variables these values."""
    operation, feeds = assign_from_values(var_names_to_values)

    def assign(session: Any) -> Any:
        return session.run(operation, feeds)

    return assign
