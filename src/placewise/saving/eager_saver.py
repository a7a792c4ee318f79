"""What a saver does where ops run at once: there is no graph, the ops are called."""

from __future__ import annotations

from typing import Any

from placewise.ops.checkpoint import save_ops
from placewise.saving.saveable import named_variables, saveables_of


def _saveables(var_list: Any) -> list[Any]:
    names = var_list if isinstance(var_list, dict) else named_variables(var_list)
    return saveables_of(names)


def save(prefix: str, var_list: Any) -> None:
    """Write variables to a checkpoint."""
    specs = [spec for each in _saveables(var_list) for spec in each.specs]
    save_ops.save_v2(
        prefix,
        [spec.name for spec in specs],
        [spec.slice_spec for spec in specs],
        [spec.tensor for spec in specs],
    )


def restore(prefix: str, var_list: Any) -> None:
    """Give variables the values of a checkpoint."""
    saveables = _saveables(var_list)
    specs = [spec for each in saveables for spec in each.specs]
    found = save_ops.restore_v2(
        prefix,
        [spec.name for spec in specs],
        [spec.slice_spec for spec in specs],
        [spec.dtype for spec in specs],
    )
    for each in saveables:
        each.restore(found[: len(each.specs)], None)
        found = found[len(each.specs) :]
