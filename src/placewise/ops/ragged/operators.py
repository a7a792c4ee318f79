"""Python's operators on ragged tensors; the other side may be ragged, a tensor or a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.ops.math import arithmetic, bitwise, comparison, division, logic

if TYPE_CHECKING:
    from placewise.ops.ragged.ragged_tensor import RaggedTensor


def _logic_or_bits(
    on_booleans: Callable[..., Any], on_bits: Callable[..., Any]
) -> Callable[..., Any]:
    def function(x: RaggedTensor, y: RaggedTensor) -> Any:
        kind = getattr(x, "dtype", None) or y.dtype
        return on_booleans(x, y) if kind is dtypes.bool else on_bits(x, y)

    return function


def _pair(function: Any) -> tuple[Any, Any]:
    def forward(self: Any, other: TensorLike) -> Any:
        return function(self, other)

    def reflected(self: Any, other: int) -> Any:
        return function(other, self)

    return forward, reflected


_PAIRS = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": division.truediv,
    "div": division.div,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": arithmetic.pow,
    "and": _logic_or_bits(logic.logical_and, bitwise.bitwise_and),
    "or": _logic_or_bits(logic.logical_or, bitwise.bitwise_or),
    "xor": _logic_or_bits(logic.logical_xor, bitwise.bitwise_xor),
}
_COMPARISONS = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}


def _equality(function: Callable[..., Any], unlike: bool) -> Any:
    def compare(self: Any, other: RaggedTensor) -> Any:
        return unlike if other is None else function(self, other)

    return compare


def _invert(self: Any) -> Any:
    return logic.logical_not(self) if self.dtype is dtypes.bool else bitwise.invert(self)


def _negative(self: Any) -> Any:
    return arithmetic.negative(self)


def _absolute(self: Any) -> Any:
    return arithmetic.abs(self)


def _methods() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, function in _PAIRS.items():
        found[f"__{name}__"], found[f"__r{name}__"] = _pair(function)
    for name, function in _COMPARISONS.items():
        found[f"__{name}__"] = _pair(function)[0]
    found["__eq__"] = _equality(comparison.equal, False)
    found["__ne__"] = _equality(comparison.not_equal, True)
    found.update(__neg__=_negative, __abs__=_absolute, __invert__=_invert)
    return found


METHODS = _methods()
