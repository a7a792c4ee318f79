"""Operations that a plan may write as Python on NumPy's arrays, and what that Python calls.

Only operations that round as torch does. Functions like tanh may differ in the last digit, so torch
itself does those (FUNCTIONS).
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.ops import graph_only
from placewise.ops.flow.list_values import TensorList
from placewise.ops.values import to_numpy

FLOATS = frozenset({dtypes.float32, dtypes.float64})
_WHOLE = frozenset({dtypes.int32, dtypes.int64})
_KINDS = FLOATS | _WHOLE | {dtypes.bool}
_NUMBERS = FLOATS | _WHOLE
_KIND_IDS = frozenset(map(id, _KINDS))  # there is one object for each dtype

# Operation → the Python it is, and the dtypes of its (first) input for which that holds.
EXPRESSIONS: dict[str, tuple[str, frozenset[Any]]] = {
    "Add": ("{} + {}", _NUMBERS),
    "AddN": ("total(({}))", _NUMBERS),
    "AddV2": ("{} + {}", _NUMBERS),
    "Sub": ("{} - {}", _NUMBERS),
    "Mul": ("{} * {}", _NUMBERS),
    "RealDiv": ("{} / {}", FLOATS),
    "FloorDiv": ("{} // {}", _WHOLE),
    "FloorMod": ("{} % {}", _WHOLE),
    "Neg": ("-{}", _NUMBERS),
    "Abs": ("abs({})", _NUMBERS),
    "Square": ("{0} * {0}", _NUMBERS),
    "Sqrt": ("sqrt({})", FLOATS),
    "Maximum": ("maximum({}, {})", _NUMBERS),
    "Minimum": ("minimum({}, {})", _NUMBERS),
    "Less": ("{} < {}", _NUMBERS),
    "LessEqual": ("{} <= {}", _NUMBERS),
    "Greater": ("{} > {}", _NUMBERS),
    "GreaterEqual": ("{} >= {}", _NUMBERS),
    "Equal": ("{} == {}", _KINDS),
    "NotEqual": ("{} != {}", _KINDS),
    "LogicalAnd": ("{} & {}", _KINDS),
    "LogicalOr": ("{} | {}", _KINDS),
    "LogicalNot": ("~{}", _KINDS),
}
IDENTITIES = frozenset({"Identity", "StopGradient", "PreventGradient"})
# Done by torch on an array converted for that: worth it where they stand among the others.
FUNCTIONS = frozenset(
    {"Tanh", "Exp", "Log", "Sigmoid", "Sin", "Cos", "Relu", "TanhGrad", "SigmoidGrad"}
)
_SMALL_ELEMENTS = 256  # beyond that torch is as quick


def is_small(tensor: Any) -> bool:
    """Return True if a tensor is known to have few elements, of a dtype that NumPy does alike."""
    dims = tensor._dims
    if dims is None or None in dims or id(tensor._dtype) not in _KIND_IDS:
        return False
    return math.prod(dims) <= _SMALL_ELEMENTS


def is_constant(tensor: Any) -> bool:
    """Return True if a tensor is made by a Const."""
    return tensor.op.declaration is graph_only.const.op


def is_expression(op: Any) -> bool:
    """Return True if an operation can be written as Python on NumPy's arrays."""
    kind = op.declaration.name
    known = EXPRESSIONS.get(kind)
    if known is None or op.inputs[0]._dtype not in known[1]:
        return False
    # NumPy gives 0 for an integer divided by zero, where TensorFlow raises.
    return kind not in ("FloorDiv", "FloorMod") or _is_nonzero(op.inputs[1])


def expression_of(op: Any) -> str:
    """Return the Python that an operation is, with a place for each input."""
    return EXPRESSIONS[op.declaration.name][0]


def _is_nonzero(tensor: Any) -> bool:
    return is_constant(tensor) and bool(np.all(tensor.op.attrs["value"] != 0))


# What the written Python calls.


def _tensor(number: Any) -> Any:
    if isinstance(number, TensorList):  # a history of numbers
        return TensorList(number.element, number.dims, list(map(_tensor, number.value)))
    return torch.from_numpy(np.asarray(number))


def _number(content: Any) -> Any:
    return to_numpy(content)[()]  # NumPy is quicker with its scalars than with arrays of rank zero


def _total(numbers: Any) -> Any:
    # Not sum(): that begins with Python's 0, and would add once more.
    return functools.reduce(operator.add, numbers)


NAMES = {
    "total": _total,
    "tensor": _tensor,
    "number": _number,
    "asarray": np.asarray,
    "sqrt": np.sqrt,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
