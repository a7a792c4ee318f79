"""`experimental_enable_numpy_behavior`: NumPy's methods and promotion on every tensor.

It changes the tensors of the whole process, as in TensorFlow, and there is no way back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import placewise as tf
from placewise.core.tensor import Tensor
from placewise.numpy_api import array_shapes, elementwise, indexing, products, reductions
from placewise.numpy_api.conversion_modes import converted
from placewise.numpy_api.promotion import PREFERENCE, asarray
from placewise.ops import operators  # noqa: F401 - gives tensors the operators that are replaced

_OPERATORS = {
    "add": elementwise.add,
    "sub": elementwise.subtract,
    "mul": elementwise.multiply,
    "truediv": elementwise.true_divide,
    "floordiv": elementwise.floor_divide,
    "mod": elementwise.mod,
    "pow": elementwise.power,
    "matmul": products.matmul,
    "and": elementwise.bitwise_and,
    "or": elementwise.bitwise_or,
    "xor": elementwise.bitwise_xor,
}
_COMPARISONS = {
    "lt": elementwise.less,
    "le": elementwise.less_equal,
    "gt": elementwise.greater,
    "ge": elementwise.greater_equal,
}
_MODES = ("legacy", "off", "safe", "all")


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Give tensors NumPy's methods, indexing and promotion of dtypes.

    `prefer_float32` makes Python's floats and complex numbers 32 and 64 bits wide; integers stay as
    they are. The operators promote as NumPy does in mode `legacy`, and not at all in mode `off`. In
    mode `all` an integer beside a float gets the float's dtype; `safe` raises TypeError where that
    could lose a value.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"dtype_conversion_mode must be one of {', '.join(_MODES)}, not "
            f"{dtype_conversion_mode!r}"
        )
    PREFERENCE.float32 = bool(prefer_float32)
    methods = dict(_methods())
    if dtype_conversion_mode != "off":
        methods.update(_operators(dtype_conversion_mode))
    variables = _kinds_of_tensors(tf.Variable) if dtype_conversion_mode != "off" else ()
    for cls in variables:
        for name, method in _operators(dtype_conversion_mode):
            setattr(cls, name, method)
    for cls in _kinds_of_tensors(Tensor):
        for name, method in methods.items():
            setattr(cls, name, method)
        if "__getitem__" in vars(cls):
            cls.__getitem__ = _indexing(vars(cls)["__getitem__"])


def _kinds_of_tensors(cls: type[Any]) -> Iterator[type[Any]]:
    """Yield the classes, from `cls` on, that have operators of their own."""
    if "__add__" in vars(cls):
        yield cls
    for below in cls.__subclasses__():
        yield from _kinds_of_tensors(below)


def _operators(mode: str) -> Iterator[tuple[str, Any]]:
    for name, function in _OPERATORS.items():
        yield f"__{name}__", _forward(function, mode)
        yield f"__r{name}__", _reflected(function, mode)
    for name, function in _COMPARISONS.items():
        yield f"__{name}__", _forward(function, mode)


def _forward(function: Callable[..., Any], mode: str) -> Any:
    def operate(self: Any, other: Any) -> Any:
        if not _is_value(other):
            return NotImplemented
        return function(*_operands(mode, self, other))

    return operate


def _reflected(function: Callable[..., Any], mode: str) -> Any:
    def operate(self: Any, other: Any) -> Any:
        if not _is_value(other):
            return NotImplemented
        return function(*_operands(mode, other, self))

    return operate


def _operands(mode: str, one: Any, other: Any) -> tuple[Any, Any]:
    return converted(mode, one, other) if mode in ("safe", "all") else (one, other)


def _is_value(other: Any) -> bool:
    plain = (Tensor, tf.Variable, np.ndarray, np.generic, int, float, complex, list, tuple)
    return isinstance(other, plain)


def _methods() -> Iterator[tuple[str, Any]]:
    yield "astype", lambda self, dtype: asarray(self, dtype)
    yield "clip", lambda self, a_min=None, a_max=None: elementwise.clip(self, a_min, a_max)
    yield "flatten", array_shapes.flatten
    yield "max", reductions.max
    yield "mean", reductions.mean
    yield "min", reductions.min
    yield "ravel", array_shapes.ravel
    yield "reshape", _reshape
    yield "tolist", lambda self: self.numpy().tolist()
    yield "transpose", array_shapes.transpose
    yield "T", property(array_shapes.transpose)
    yield "data", property(lambda self: self.numpy().data)
    yield "size", property(reductions.size)
    yield "__pos__", elementwise.positive
    yield "__round__", lambda self, decimals=0: elementwise.around(self, decimals or 0)


def _reshape(self: Any, *newshape: Any, order: str = "C") -> Any:
    shape = newshape[0] if len(newshape) == 1 else newshape
    return array_shapes.reshape(self, shape, order)


def _indexing(plain: Callable[..., Any]) -> Any:
    def getitem(self: Any, item: Any) -> Any:
        return indexing.pick(self, item, plain) if indexing.has_arrays(item) else plain(self, item)

    return getitem
