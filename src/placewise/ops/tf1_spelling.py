"""What TensorFlow 1's functions write down otherwise than those of TensorFlow 2.

They add with `Add` and choose with `Select` where TensorFlow 2's use `AddV2` and `SelectV2`, and
write known shapes, and what is like a tensor, down as constants. The results are the same; but
programs see the names, and an op without a seed takes one by the number of nodes before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.ops.array import creation, where
from placewise.ops.array import shape as shapes
from placewise.ops.math import arithmetic
from placewise.ops.name_scopes import is_tf1_graph


def add_tf1(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x + y as a function writes it; the operator `+` is `AddV2` in both eras."""
    return (arithmetic.add_strings if is_tf1_graph() else arithmetic.add)(x, y, name)


def where_tf1(condition: Tensor, x: Tensor, y: Tensor, name: str | None = None) -> Any:
    """Return `x` where `condition` holds and `y` elsewhere, all three of one shape."""
    return (where.where_v1 if is_tf1_graph() else where.where)(condition, x, y, name)


def _by_era(name: str, present: Callable[..., Any]) -> Callable[..., Any]:
    def function(*args: Any, **options: Any) -> Any:
        if not is_tf1_graph():
            return present(*args, **options)
        return getattr(current.interpreter.tf1_nodes, name)(*args, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = present.__doc__
    return function


zeros = _by_era("zeros", creation.zeros)
ones = _by_era("ones", creation.ones)
zeros_like = _by_era("zeros_like", creation.zeros_like)
ones_like = _by_era("ones_like", creation.ones_like)
shape = _by_era("shape", shapes.shape)
size = _by_era("size", shapes.size)
rank = _by_era("rank", shapes.rank)


def after_check(x: Tensor) -> Any:
    """Return a value whose shape was checked: TensorFlow 1 lets it wait for what is left to do."""
    return shapes.identity(x, "control_dependency") if is_tf1_graph() else x


def known_shape(x: Any) -> Any:
    """Return a shape that an op reads: numbers where known, of which TensorFlow 1 makes a node."""
    return shape(x) if is_tf1_graph() else shapes.shape_of(x)
