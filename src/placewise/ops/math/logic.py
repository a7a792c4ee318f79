"""Logic on booleans, element by element."""

from __future__ import annotations

from typing import Any

import torch

from placewise.ops.declare import Bind, define
from placewise.ops.facts import SCALARS, Scalar
from placewise.ops.families import broadcast_shape, incompatible_shapes, named, same_shape


def _connective(name: str, function: Any, public: str, doc: str, expression: str) -> Bind:
    facts: Any = {"result": "whole", "elementwise": True, "scalar": Scalar(expression, SCALARS)}
    signature = f"{name}(x: bool, y: bool) -> z: bool"
    made = define(signature, doc=doc, differentiable=False, **facts)
    made.shape(broadcast_shape)
    made.kernel(function)
    made.error(incompatible_shapes)
    return named(made, public, doc)


logical_and = _connective(
    "LogicalAnd",
    torch.logical_and,
    "logical_and",
    """Return True where x and y are both True, element by element.

    `x`, `y`: booleans that broadcast to one shape; numbers are refused.

    >>> tf.logical_and([True, True, False], [True, False, False]).numpy()
    array([ True, False, False])
    """,
    "{} & {}",
)
logical_or = _connective(
    "LogicalOr",
    torch.logical_or,
    "logical_or",
    "Return True where x or y, or both, are True.",
    "{} | {}",
)

logical_not = named(
    define(
        "LogicalNot(x: bool) -> y: bool",
        differentiable=False,
        result="whole",
        elementwise=True,
        keeps_shape=True,
        scalar=Scalar("~{}", SCALARS),
    ),
    "logical_not",
    "Return True where x is False.",
)
logical_not.shape(same_shape)
logical_not.kernel(torch.logical_not)


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Any:
    """Return True where exactly one of x and y is True."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)
