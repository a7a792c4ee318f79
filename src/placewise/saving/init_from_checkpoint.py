"""`tf.train.init_from_checkpoint`: lets variables begin with the values of a checkpoint."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from placewise.core.names import name_scope
from placewise.eager.device_scope import device
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable_scope import get_variable_scope
from placewise.graph.variable_store import store_of
from placewise.ops.checkpoint.save_ops import restore_v2
from placewise.saving.reader import checkpoint_of, load_checkpoint

_log = logging.getLogger("tensorflow")


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Mapping[Any, Any]) -> None:
    """Replace the initializers of variables by the values that a checkpoint has for them.

    `assignment_map` maps names in the checkpoint to variables, lists of parts, or names in the
    graph; both sides may be scopes (`'old/': 'new/'`).
    """
    prefix = checkpoint_of(ckpt_dir_or_file)
    reader = load_checkpoint(prefix)
    shapes = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if hasattr(assignment_map, "items") else assignment_map
    for stored, target in sorted(pairs, key=lambda pair: str(pair[0])):
        if _is_variable(target) or isinstance(target, (list, tuple)):
            _assign(prefix, shapes, stored, target)
        elif stored.endswith("/") or target.endswith("/"):
            _assign_scope(prefix, shapes, stored, target)
        else:
            _assign(prefix, shapes, stored, _variable_named(target))


def _is_variable(value: Any) -> bool:
    return hasattr(value, "initializer") and hasattr(value, "assign")


def _variables() -> dict[str, Any]:
    return store_of(get_default_graph())._vars


def _variable_named(name: str) -> Any:
    scope = get_variable_scope().name
    full = f"{scope}/{name}" if scope else name
    known = _variables()
    if full in known:
        return known[full]
    parts = [each for key, each in sorted(known.items()) if key.startswith(f"{full}/part_")]
    if not parts:
        raise ValueError(f"A variable in assignment map `{name}` is not found in the graph: {full}")
    return parts


def _assign_scope(prefix: str, shapes: dict[str, Any], stored: str, target: str) -> None:
    if "/" in target and not target.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {target} should map to scope only {stored}. "
            "Should be 'scope/': 'other_scope/'."
        )
    scope = get_variable_scope().name
    inside = f"{scope}/{target}" if scope else target
    inside = "" if inside == "/" else inside
    source = "" if stored == "/" else stored
    groups: dict[str, list[Any]] = {}
    for name, variable in _variables().items():
        if not name.startswith(inside):
            continue
        short = name[len(inside) :]
        whole, mark, number = short.rpartition("/part_")
        key = source + (whole if mark and number.isdigit() else short)
        if key not in shapes:
            raise ValueError(
                f"Tensor {key} ({name} in {inside}) is not found in {prefix} checkpoint"
            )
        groups.setdefault(key, []).append(variable)
    for key, variables in groups.items():
        _assign(prefix, shapes, key, variables if len(variables) > 1 else variables[0])


def _assign(prefix: str, shapes: dict[str, Any], stored: str, target: Any) -> None:
    if stored not in shapes:
        raise ValueError(f"Tensor {stored} is not found in {prefix} checkpoint {shapes}")
    several = list(target) if isinstance(target, (list, tuple)) else [target]
    for variable in several:
        info = getattr(variable, "_save_slice_info", None)
        if info is None and not variable.shape.is_compatible_with(shapes[stored]):
            raise ValueError(
                f"Shape of variable {variable.name} ({variable.shape}) doesn't match with "
                f"shape of tensor {stored} ({shapes[stored]}) from checkpoint reader."
            )
        _set_initializer(variable, prefix, stored, "" if info is None else info.spec)
    _log.debug("Initialize variable %s from checkpoint %s with %s", several, prefix, stored)


def _set_initializer(variable: Any, prefix: str, stored: str, part: str) -> None:
    dtype = variable.dtype.base_dtype
    if not hasattr(variable, "_initializer"):  # eager: it has its value from the start
        variable.assign(restore_v2(prefix, [stored], [part], [dtype])[0])
        return
    graph = variable.graph
    with (
        graph.as_default(),
        name_scope("checkpoint_initializer") as scope,
        graph.control_dependencies(None),
    ):
        with device(variable.device or None), device("/cpu:0"):
            value = restore_v2(prefix, [stored], [part], [dtype], name=scope)[0]
            value.set_shape(variable.shape)
        assigned = variable.assign(value, read_value=False)
    variable._initializer = getattr(assigned, "op", assigned)
    variable._initial_value = value
