"""Python's operators on tensors.

`install` gives a class all of them: `core.tensor.Tensor`, and later whatever else converts to a
tensor. Eager tensors with eager tensors or Python numbers go straight to the op; everything else
is converted by the rules of TensorFlow's operators first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.errors import InvalidArgumentError, hint
from placewise.core.scope import current, era
from placewise.core.tensor import Tensor
from placewise.ops.array.indexing import getitem
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math import arithmetic, bitwise, comparison, division, logic
from placewise.ops.math.cast import cast
from placewise.ops.values import EagerTensor

_NUMBERS = (int, float)


def operand(value: Any, dtype: DType) -> Any:
    """Return the other side of an operator as a tensor of `dtype`; it must be able to be one."""
    if isinstance(value, Tensor):
        return value
    if dtype is dtypes.string or not isinstance(value, _NUMBERS) or isinstance(value, bool):
        tensor_like = hasattr(type(value), "__tf_tensor__")
        return convert_to_tensor(value, None if tensor_like else dtype)
    made = scalar(value, dtype)
    # `scalar` falls back to the value's own dtype; an operator does not.
    return made if made.dtype is dtype else convert_to_tensor(value, dtype)


def hinted(value: Any, dtype: DType) -> Any:
    """Return the other side of an operator as a tensor, of `dtype` if it can be."""
    if type(value) in _NUMBERS:
        return scalar(value, dtype)
    return convert_to_tensor(value, dtype_hint=dtype)


def _written(value: Any, dtype: DType, is_hint: bool, name: str) -> Any:
    """Return the other side of an operator in a graph, as a node named after its side."""
    if isinstance(value, Tensor):
        return value
    if hasattr(type(value), "__tf_tensor__"):
        return convert_to_tensor(value, name=name)
    if is_hint:
        return convert_to_tensor(value, dtype_hint=dtype, name=name)
    return convert_to_tensor(value, dtype, name=name)


def _is_foreign(value: Any, reflected: str) -> bool:
    """Return True if `value` is no tensor but may itself know the operator."""
    kind = type(value)
    return (
        kind not in _NUMBERS
        and not isinstance(value, Tensor)
        and hasattr(kind, reflected)
        and kind.__module__ not in ("builtins", "numpy")
    )


def pair(
    function: Callable[..., Any], name: str, convert: Callable[..., Any] = operand
) -> tuple[Any, Any]:
    """Return the methods `__name__` and `__rname__` of a two-sided operator."""
    reflected_name = f"__r{name}__"
    is_direct = name in ("add", "sub", "mul", "pow")

    def forward(self: Any, other: Any) -> Any:
        if type(self) is not EagerTensor:
            self = convert_to_tensor(self)
        if type(other) is EagerTensor and type(self) is EagerTensor:
            return function(self, other)
        try:
            if (graph := current.interpreter.graph) is not None:
                # One op needs no scope: a number becomes its input `y` by itself.
                if self.dtype.is_floating and (
                    isinstance(other, Tensor) or (is_direct and type(other) in _NUMBERS)
                ):
                    return function(self, other, name=name)
                with graph.name_scope(name) as scope:
                    other = _written(other, self.dtype.base_dtype, convert is hinted, "y")
                    return function(self, other, name=scope)
            return function(self, convert(other, self.dtype.base_dtype))
        except (TypeError, ValueError):
            # The other side may know what to do with a tensor.
            if _is_foreign(other, reflected_name):
                result = getattr(other, reflected_name)(self)
                if result is not NotImplemented:
                    return result
            raise

    def reflected(self: Any, other: TensorLike) -> Any:
        if type(self) is not EagerTensor:
            self = convert_to_tensor(self)
        if (graph := current.interpreter.graph) is not None:
            is_plain = type(other) is float and self.dtype is dtypes.float32
            if is_plain and is_direct and name != "add":
                return function(other, self, name=name)
            with graph.name_scope(name) as scope:
                other = _written(other, self.dtype.base_dtype, False, "x")
                return function(other, self, name=scope)
        return function(operand(other, self.dtype.base_dtype), self)

    forward.__name__, reflected.__name__ = f"__{name}__", reflected_name
    forward.__doc__ = reflected.__doc__ = function.__doc__
    return forward, reflected


def _times(x: Any, y: Any, name: str | None = None) -> Any:
    try:
        return arithmetic.multiply(x, y, name)
    except (InvalidArgumentError, TypeError):
        if dtypes.bool not in (x.dtype, y.dtype):
            raise
        return logic.logical_and(cast(x, dtypes.bool), cast(y, dtypes.bool))


_times.__doc__ = arithmetic.multiply.__doc__


def _matmul(x: Tensor, y: Tensor, name: str | None = None) -> Any:
    return matmul(x, y, name=name)


def _logic_or_bits(on_booleans: Callable[..., Any], on_bits: Callable[..., Any]) -> Any:
    def function(x: Tensor, y: Tensor, name: str | None = None) -> Any:
        return on_booleans(x, y, name) if x.dtype is dtypes.bool else on_bits(x, y, name)

    function.__doc__ = f"{on_booleans.__doc__} Of integers: {on_bits.__doc__}"
    return function


def _comparison(function: Callable[..., Any], name: str) -> Any:
    def compare(self: Any, other: TensorLike) -> Any:
        if type(self) is not EagerTensor:
            self = convert_to_tensor(self)
        if type(other) is not EagerTensor and current.interpreter.graph is None:
            other = operand(other, self.dtype.base_dtype)
        return function(self, other)

    compare.__name__, compare.__doc__ = f"__{name}__", function.__doc__
    return compare


def _equality(function: Any, name: str, unlike: bool) -> Any:
    def compare(self: Any, other: Any) -> Any:
        if other is None:
            return unlike
        if not era.compares_tensors:
            return (self is other) is not unlike
        if type(self) is not EagerTensor:
            self = convert_to_tensor(self)
        if type(other) is not EagerTensor:
            other = operand(other, self.dtype.base_dtype)
        return function.bind(self, other, incompatible_shape_error=False)

    compare.__name__, compare.__doc__ = f"__{name}__", function.__doc__
    return compare


def _negative(self: Any) -> Any:
    return arithmetic.negative(self)


def _absolute(self: Any) -> Any:
    return arithmetic.abs(self)


def _invert(self: Any) -> Any:
    self = convert_to_tensor(self)
    return logic.logical_not(self) if self.dtype is dtypes.bool else bitwise.invert(self)


def _getitem(self: Any, item: Any) -> Any:
    return getitem(self, item)


def _iterate(self: Any) -> Iterator[Any]:
    shape = self._shape_tuple
    if shape == ():
        raise TypeError(
            hint(
                "Cannot iterate over a scalar tensor.",
                "its shape is []; tf.reshape(x, [1]) has one element to iterate over",
            )
        )
    if shape is None or shape[0] is None:
        raise TypeError(
            hint(
                "Cannot iterate over a tensor with unknown first dimension.",
                f"its shape is {self.shape}; in graphs see tf.map_fn or tf.while_loop, or "
                "set_shape",
            )
        )
    return (self[index] for index in range(shape[0]))


_PAIRS: dict[str, Callable[..., Any]] = {
    "sub": arithmetic.subtract,
    "mul": _times,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": arithmetic.pow,
    "matmul": _matmul,
    "and": _logic_or_bits(logic.logical_and, bitwise.bitwise_and),
    "or": _logic_or_bits(logic.logical_or, bitwise.bitwise_or),
    "xor": _logic_or_bits(logic.logical_xor, bitwise.bitwise_xor),
}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}


def _methods() -> dict[str, Any]:
    found: dict[str, Any] = {}
    hinting: dict[str, Callable[..., Any]] = {
        "add": arithmetic.add,
        "truediv": division.truediv,
        "div": division.div,
    }
    for name, function in hinting.items():
        found[f"__{name}__"], found[f"__r{name}__"] = pair(function, name, hinted)
    for name, function in _PAIRS.items():
        found[f"__{name}__"], found[f"__r{name}__"] = pair(function, name)
    for name, function in _COMPARISONS.items():
        found[f"__{name}__"] = _comparison(function, name)
    found["__eq__"] = _equality(comparison.equal, "eq", False)
    found["__ne__"] = _equality(comparison.not_equal, "ne", True)
    found.update(__neg__=_negative, __abs__=_absolute, __invert__=_invert)
    found.update(__getitem__=_getitem, __iter__=_iterate)
    return found


METHODS = _methods()


def install(cls: type, skip: tuple[str, ...] = ()) -> None:
    """Give a class the operators of tensors, but for the names in `skip`."""
    for name, method in METHODS.items():
        if name not in skip:
            setattr(cls, name, method)


install(Tensor)

# What libraries give their own classes of the operators of tensors.
_OVERLOADABLE = set(METHODS) - {"__iter__"}
setattr(Tensor, "OVERLOADABLE_OPERATORS", _OVERLOADABLE)  # noqa: B010 - the class has no such field


def _truth(self: Any) -> bool:
    """Return the truth of what a library's class of tensors converts to.

    Tensors of placewise have a method of their own.
    """
    value = convert_to_tensor(self)
    if type(value).__bool__ is _truth:
        raise TypeError(f"Using a {type(self).__name__} as a Python bool is not defined.")
    return bool(value)


# Libraries copy these from the class as well, for classes that behave as tensors.
for _name, _member in {
    "__bool__": _truth,
    "__nonzero__": _truth,
    "__array_priority__": 100,
}.items():
    setattr(Tensor, _name, _member)
