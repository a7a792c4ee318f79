"""Families of ops that share shape, dtype and error rules: element by element, one or two inputs.

A member is one line; its family states the rest.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch

from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.declare import WIDE_UNSIGNED_TORCH, Call, Rule, TensorBind, define
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.values import Content, from_numpy, to_numpy

_MOST_OUTPUTS = 1 << 20


def check_output_count(attr: str, count: int) -> None:
    """Raise before a list of results is made that no program can use."""
    if count > _MOST_OUTPUTS:
        raise invalid(
            f"Value for attr '{attr}' of {count} is more than the {_MOST_OUTPUTS} results that an "
            "op may have"
        )


def bracketed(shape: Any) -> str:
    """Return a shape as TensorFlow's runtime writes it: [2,3]."""
    return "[" + ",".join("?" if d is None else str(d) for d in shape) + "]"


def through_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that computes with NumPy, for dtypes torch has no kernel for."""

    def kernel(*values: Any, **attrs: Any) -> Any:
        with np.errstate(all="ignore"):
            return from_numpy(np.asarray(function(*map(to_numpy, values), **attrs)))

    return kernel


def same_shape(x: Static, *_: Static, **__: object) -> Dims:
    """Shape rule: that of the first input."""
    return x.shape


def equal_shapes(x: Static, y: Static, *_: Static, **__: object) -> Dims:
    """Shape rule: that of both inputs, which have to be alike."""
    return merged_dims(x.shape, y.shape)


def merged_dims(mine: Dims, theirs: Dims) -> Dims:
    """Return what two shapes that must be equal tell together, or raise in the runtime's words."""
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if len(mine) != len(theirs):
        raise ValueError(f"Shapes must be equal rank, but are {len(mine)} and {len(theirs)}")
    for index, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        if None not in (a, b) and a != b:
            raise ValueError(
                f"Dimension {index} in both shapes must be equal, but are {a} and {b}. Shapes are "
                f"{bracketed(mine)} and {bracketed(theirs)}."
            )
    return tuple(b if a is None else a for a, b in zip(mine, theirs, strict=True))


def broadcast_shape(x: Static, y: Static, *more: Static, **_: object) -> Dims:
    """Shape rule: that all inputs broadcast to."""
    return broadcast(x.shape, y.shape, *[each.shape for each in more])


def incompatible_shapes(x: Content, y: Content, *_: object, **__: object) -> str | None:
    """Error rule: say so if two shapes do not broadcast."""
    try:
        broadcast(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return f"Incompatible shapes: {bracketed(x.shape)} vs. {bracketed(y.shape)}"
    return None


def unary(
    name: str,
    function: Callable[..., Any],
    types: frozenset[DType],
    *,
    doc: str,
    gradient: Callable[..., Any] | None = None,
    numpy: Callable[..., Any] | None = None,
    arg: str = "x",
    output: str = "T",
    public: str | None = None,
    **options: Any,
) -> TensorBind:
    """Declare an op of one input, element by element; returns its public function.

    `function` is the torch kernel, `numpy` the one for the wide unsigned types, `output` the
    result's dtype (`T`: the input's), `gradient(call, dy)` its rule.
    """
    options = {"result": "whole", "elementwise": True, "keeps_shape": True, **options}
    function_of_x = define(f"{name}({arg}: T) -> y: {output}", doc=doc, T=types, **options)
    function_of_x.shape(same_shape)
    function_of_x.kernel(function)
    if numpy is not None:
        function_of_x.kernel(through_numpy(numpy), on="wide_unsigned")
    if gradient is not None:
        function_of_x.gradient(gradient)
    return cast("TensorBind", named(function_of_x, public, doc))


def binary(
    name: str,
    function: Callable[..., Any],
    types: frozenset[DType],
    *,
    doc: str,
    gradient: Callable[..., Any] | tuple[Callable[..., Any], ...] | None = None,
    numpy: Callable[..., Any] | None = None,
    output: str = "T",
    public: str | None = None,
    **options: Any,
) -> TensorBind:
    """Declare an op of two inputs that broadcast; returns its public function.

    `gradient(call, dy)` gives the two gradients (or is a pair of functions, one for each) before
    they are summed back to the inputs' shapes: the family does that.
    """
    options = {"result": "whole", "elementwise": True, **options}
    function_of_both = define(f"{name}(x: T, y: T) -> z: {output}", doc=doc, T=types, **options)
    function_of_both.shape(broadcast_shape)
    function_of_both.kernel(function)
    function_of_both.error(incompatible_shapes)
    if numpy is not None:
        function_of_both.kernel(through_numpy(numpy), on="wide_unsigned")
    if gradient is not None:
        function_of_both.gradient(summed_back(gradient))
    return cast("TensorBind", named(function_of_both, public, doc))


def named(function: Rule, public: str | None, doc: str) -> Rule:
    """Give a generated function the name and text a user sees."""
    if public:
        function.__name__ = function.__qualname__ = public
    function.__doc__ = inspect.cleandoc(doc)
    declared = getattr(function, "op", None)
    if declared is not None and not declared.doc:
        declared.doc = doc
    return function


def summed_back(
    gradient: Callable[..., Any] | tuple[Callable[..., Any], ...],
) -> Callable[..., Any]:
    """Return a gradient rule that sums over what was broadcast."""

    def rule(call: Call, dy: Tensor) -> tuple[Any, Any]:
        x, y = call.inputs
        if is_tf1_graph():
            written: tuple[Any, Any] = lazy.written_back(gradient, call, dy)
            return written
        if isinstance(gradient, tuple):  # one function an input: only the wanted ones run
            dx, dz = (
                rule_of(call, dy) if call.wants(index) else None
                for index, rule_of in enumerate(gradient)
            )
        else:
            dx, dz = gradient(call, dy)
        return (
            None if dx is None else lazy.sum_back(dx, x, y),
            None if dz is None else lazy.sum_back(dz, y, x),
        )

    return rule


def is_wide_unsigned(value: torch.Tensor) -> bool:
    """Return True for the unsigned types torch computes little with."""
    return value.dtype in WIDE_UNSIGNED_TORCH
