"""What operations get from scopes besides names and devices: containers, gradients of their own."""

from __future__ import annotations

import importlib
from typing import Any

from placewise import messages

# Set by whoever knows gradients: (operation, name of a gradient) → its gradient rule.
rule_of: Any = None


def _rules() -> Any:
    if rule_of is None:
        # The graph knows nothing of gradients; a program that overrides them does.
        importlib.import_module("placewise.autodiff.registered")
    return rule_of


def checked(op_type_map: Any) -> dict[str, str]:
    """Return a map of op types to names of gradients, or raise what TensorFlow raises."""
    if not isinstance(op_type_map, dict):
        raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    for key, value in op_type_map.items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    return op_type_map


def put_in_container(declaration: Any, attrs: dict[str, Any], container: str) -> dict[str, Any]:
    """Return attributes that say where the state of an op is kept."""
    if "container" in declaration.attr_names and not attrs.get("container"):
        return {**attrs, "container": container}
    return attrs


def override(op: Any, gradient: str) -> None:
    """Let an operation use a registered gradient."""
    op.gradient_override = _rules()(op, gradient)
    op.graph.has_overrides = True
    op.notes = {**op.notes, "_gradient_op_type": messages.AttrValue(s=gradient.encode())}
