"""What a rule gets to see: an operation of the traced function, and its inputs for all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import expand_dims, sizes_of
from placewise.ops.array.static import get_static_value
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import REGISTRY
from placewise.ops.math.cast import cast


class NoRule(Exception):  # noqa: N818 - a reason, no error
    """Why an operation is not done for all rows at once."""


class Shared(NamedTuple):
    """A result that is the same for every row: the shape of a row."""

    value: Any


class Value(NamedTuple):
    """What stands for a tensor of the traced function."""

    tensor: Any
    is_rows: bool  # it has one row for each call, in its first dimension
    rank: int | None  # of what the function sees

    def known_rank(self) -> int:
        """Return the rank of a row; NoRule if that is not known."""
        if self.rank is None:
            raise NoRule
        return self.rank


class RowCall:
    """One operation of the function: `inputs` as the op declares them, `count` rows."""

    def __init__(self, operation: Any, inputs: list[Any], count: Any) -> None:
        self.declaration = operation.declaration
        self.attrs: dict[str, Any] = operation.attrs
        self.operation, self.inputs, self.count = operation, inputs, count

    def bind(self, *inputs: Any, **changed: Any) -> Any:
        """Run or record the op itself, on other inputs and attributes."""
        return self.declaration.bind(*inputs, **{**self.attrs, **changed})

    def rows(self, value: Value) -> Any:
        """Return a value with a row for each call."""
        return repeated(value, self.count)

    def shared(self, place: int) -> Any:
        """Return an input that must be the same for all rows; known numbers as an array."""
        value: Value = self.inputs[place]
        if value.is_rows:
            raise NoRule
        known = get_static_value(self.operation.spread[place])
        return value.tensor if known is None else known

    def number(self, place: int) -> int:
        """Return an input that is a known number."""
        known = self.shared(place)
        if isinstance(known, Tensor):
            raise NoRule
        return int(known)

    def aligned(self, values: list[Value]) -> list[Any]:
        """Return values that broadcast: rows of lower rank get dimensions behind the first."""
        varying = [value for value in values if value.is_rows]
        if len(varying) == 1 and all(value.rank == 0 or value.is_rows for value in values):
            return [value.tensor for value in values]  # numbers go with rows of any rank
        rank = max(value.known_rank() for value in values)
        return [expanded(value, rank) for value in values]


def repeated(value: Value, count: Any) -> Any:
    """Return a value with a row for each call; one that is the same for all, several times."""
    if value.is_rows:
        return value.tensor
    return broadcast_to(expand_dims(value.tensor, 0), [count, *sizes_of(value.tensor)])


def expanded(value: Value, rank: int) -> Any:
    """Return rows that are at least of a rank."""
    tensor = value.tensor
    if value.is_rows:
        for _ in range(rank - value.known_rank()):
            tensor = expand_dims(tensor, 1)
    return tensor


def shifted(axis: Any) -> Any:
    """Return axes of a row as axes of all rows; negative ones count from the end as before."""
    return where(axis >= 0, axis + 1, axis) if isinstance(axis, Tensor) else moved(axis)


def moved(axis: Any) -> Any:
    """Return known axes of a row as axes of all rows."""
    array = np.asarray(axis)
    return np.where(array >= 0, array + 1, array).astype(array.dtype)


def prefixed(first: Any, rest: Any) -> Any:
    """Return a vector of sizes or positions that begins with what holds for the rows."""
    if isinstance(first, Tensor) or isinstance(rest, Tensor):
        rest = convert_to_tensor(rest)
        return concat([[cast(first, rest.dtype)], rest], 0)
    return np.concatenate([np.asarray([first], np.asarray(rest).dtype), rest])


Rule = Callable[[RowCall], Any]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Let a function be the rule of ops."""

    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


def op_named(name: str) -> Any:
    """Return the `bind` of an op that a rule puts in place of another."""
    return REGISTRY[name].bind
