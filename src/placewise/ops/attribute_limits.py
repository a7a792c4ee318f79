"""What attributes of ops may be, and how long lists of inputs: as their declarations limit them.

TensorFlow refuses in two ways: its runtime when an op runs at once, its Python while a graph is
built. Kernels and shape rules rely on it: what reaches them is within the limits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.ops.convert import in_registry_order, not_allowed
from placewise.ops.declare import NARROW, Attr, Op


def check_limits(declared: Op, inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Refuse what the declaration does not allow, in the words of TensorFlow's runtime."""
    for arg, value in zip(declared.inputs, inputs, strict=True):
        if arg.least is not None and hasattr(value, "__len__"):
            name = arg.number_attr or arg.type_attr or ""
            _check_least(name, len(value), arg.least, is_list=arg.is_type_list)
    for attr in declared.attrs:
        if attrs.get(attr.name) is not None:
            _check_attribute(declared, attr, attrs[attr.name])


def _check_attribute(declared: Op, attr: Attr, value: Any) -> None:
    allowed = declared.types.get(attr.name)
    if allowed is not None:
        for dtype in value if isinstance(value, list) else [value]:
            if isinstance(dtype, DType) and dtype not in allowed:
                raise not_allowed(attr.name, dtype, allowed)
    if attr.least is not None:
        is_list = isinstance(value, (list, tuple))
        _check_least(attr.name, len(value) if is_list else value, attr.least, is_list)
    text = value.decode() if isinstance(value, bytes) else value
    if attr.choices and text not in attr.choices:
        listed = ", ".join(f'"{choice}"' for choice in attr.choices)
        what = f"Value for attr '{attr.name}' of \"{text}\""
        raise invalid(f"{what} is not in the list of allowed values: {listed}")
    if attr.name in NARROW:
        _check_narrow(attr.name, value)


def _check_least(attr: str, value: int, least: int, is_list: bool) -> None:
    if value < least:
        what = "Length" if is_list else "Value"
        raise invalid(f"{what} for attr '{attr}' of {value} must be at least minimum {least}")


def _check_narrow(name: str, value: Any) -> None:
    for number in value if isinstance(value, (list, tuple)) else [value]:
        if type(number) is int and not -(2**31) <= number < 2**31:
            raise invalid(f"Attr {name} has value {number} out of range for an int32")


class _GraphLimits(NamedTuple):
    """What there is to check of one op, so that a call of most ops checks nothing."""

    lists: tuple[tuple[int, str, int, bool], ...]  # index of the input, its words and its least
    attrs: tuple[tuple[str, Callable[[Any], None]], ...]


def check_graph_limits(declared: Op, inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Refuse what the declaration does not allow, in the words of TensorFlow's graphs."""
    lists, checks = _graph_limits(declared)
    for index, argument, least, is_type_list in lists:
        if len(inputs[index]) < least:
            raise ValueError(
                _too_short(declared.name, argument, len(inputs[index]), least, is_type_list)
            )
    for name, check in checks:
        if attrs.get(name) is not None:
            check(attrs[name])


@functools.cache
def _graph_limits(declared: Op) -> _GraphLimits:
    lists = tuple(
        (
            index,
            (arg.type_attr or "") if arg.is_type_list else arg.name,
            arg.least,
            arg.is_type_list,
        )
        for index, arg in enumerate(declared.inputs)
        if arg.least is not None
    )
    limited = [
        (attr.name, functools.partial(_check_graph_attribute, declared.name, attr, allowed))
        for attr in declared.attrs
        for allowed in [declared.types.get(attr.name)]
        if allowed is not None or attr.least is not None or attr.choices
    ]
    return _GraphLimits(lists, tuple(limited))


def _too_short(op: str, argument: str, count: int, least: int, is_type_list: bool) -> str:
    if is_type_list:
        what = f"Attr '{argument}' of '{op}' Op passed list of length {count}"
        return f"{what} less than minimum {least}."
    return (
        f"List argument '{argument}' to '{op}' Op with length {count} shorter than minimum length "
        f"{least}."
    )


def _check_graph_attribute(
    op: str, attr: Attr, allowed: frozenset[DType] | None, value: Any
) -> None:
    values = value if isinstance(value, (list, tuple)) else [value]
    if allowed is not None:
        for dtype in values:
            if isinstance(dtype, DType) and dtype not in allowed:
                raise not_allowed_in_graph(attr.name, dtype, allowed)
    if attr.least is not None:
        is_list = attr.kind.startswith("list(")
        size = len(values) if is_list else value
        if size < attr.least:
            what = f"list of length {size}" if is_list else size
            raise ValueError(
                f"Attr '{attr.name}' of '{op}' Op passed {what} less than minimum {attr.least}."
            )
    text = value.decode() if isinstance(value, bytes) else value
    if attr.choices and text not in attr.choices:
        listed = ", ".join(f'"{choice}"' for choice in attr.choices)
        raise ValueError(
            f"Attr '{attr.name}' of '{op}' Op passed string '{text}' not in: {listed}."
        )


def not_allowed_in_graph(argument: str, dtype: DType, allowed: frozenset[DType]) -> TypeError:
    """Return the error of a graph for a dtype that an input or attribute of an op may not have."""
    names = ", ".join(dtype.name for dtype in in_registry_order(allowed))
    return TypeError(
        f"Value passed to parameter '{argument}' has DataType {dtype.name} not in list of "
        f"allowed values: {names}"
    )
