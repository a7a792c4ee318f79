"""Tensors that are given only after something else has run."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.graph.defaults import get_default_graph


def with_dependencies(dependencies: list[Any], output_tensor: Any, name: str | None = None) -> Any:
    """Return the tensor, given only after the dependencies have run."""
    with tf.name_scope(name or "control_dependency") as scope:
        graph = get_default_graph()
        with graph.colocate_with(output_tensor.op), graph.control_dependencies(dependencies):
            return tf.identity(output_tensor, name=scope)
