"""`linear_operator_addition`: the sum of linear operators as one operator."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from placewise.api.v2 import linalg


def add_operators(
    operators: Sequence[Any],
    operator_name: str | None = None,
    addition_tiers: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Return a list with the sum of operators: diagonal if all are, else a full matrix.

    `addition_tiers` is accepted: there is one way to add.
    Raises TypeError for anything but linear operators, ValueError if there are none.
    """
    if not operators:
        raise ValueError("Argument `operators` must contain at least one operator.  Found: []")
    for operator in operators:
        if not isinstance(operator, linalg.LinearOperator):
            raise TypeError(f"operators must all be LinearOperators, but got {operator!r}")
    if len(operators) == 1:
        return list(operators)
    hints: dict[str, Any] = {
        "is_self_adjoint": all(operator.is_self_adjoint for operator in operators) or None,
        "is_positive_definite": all(operator.is_positive_definite for operator in operators)
        or None,
        "name": operator_name or "sum",
    }
    diagonals = (linalg.LinearOperatorDiag, linalg.LinearOperatorIdentity)
    scaled = linalg.LinearOperatorScaledIdentity
    if all(isinstance(operator, (*diagonals, scaled)) for operator in operators):
        parts = [operator.diag_part() for operator in operators]
        return [linalg.LinearOperatorDiag(_added(parts), **hints)]
    parts = [operator.to_dense() for operator in operators]
    return [linalg.LinearOperatorFullMatrix(_added(parts), **hints)]


def _added(parts: list[Any]) -> Any:
    return functools.reduce(lambda one, other: one + other, parts)
