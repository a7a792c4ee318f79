"""Operations that a plan may write as Python on NumPy's arrays, and what that Python calls.

`Op.scalar` says which these are: only operations that round as torch does. Functions like tanh may
differ in the last digit, so their kernels do them (`uses_kernel`).
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
import torch

from placewise.ops import graph_only
from placewise.ops.facts import SCALARS
from placewise.ops.flow.list_values import TensorList
from placewise.ops.values import to_numpy

_SCALAR_IDS = frozenset(map(id, SCALARS))  # there is one object for each dtype
_LOOKUPS = ("TensorListGetItem", "TensorArrayReadV3")
_SMALL_ELEMENTS = 256  # beyond that torch is as quick


def is_small(tensor: Any) -> bool:
    """Return True if a tensor is known to have few elements, of a dtype that NumPy does alike."""
    dims = tensor._dims
    if dims is None or None in dims or id(tensor._dtype) not in _SCALAR_IDS:
        return False
    fits: bool = math.prod(dims) <= _SMALL_ELEMENTS
    return fits


def is_constant(tensor: Any) -> bool:
    """Return True if a tensor is made by a Const."""
    return tensor.op.declaration is graph_only.const.op


def passes_on(op: Any) -> bool:
    """Return True if the one output of an operation is its one input."""
    return op.declaration.result == "input" and len(op.outputs) == 1


def is_expression(op: Any) -> bool:
    """Return True if an operation can be written as Python on NumPy's arrays."""
    scalar = op.declaration.scalar
    if scalar is None or scalar.expression is None or op.inputs[0]._dtype not in scalar.types:
        return False
    # NumPy gives 0 for an integer divided by zero, where TensorFlow raises.
    return not scalar.needs_nonzero_divisor or _is_nonzero(op.inputs[1])


def has_expression(op: Any) -> bool:
    """Return True if an operation can be written so for some dtypes and arguments."""
    scalar = op.declaration.scalar
    return scalar is not None and scalar.expression is not None


def uses_kernel(op: Any) -> bool:
    """Return True if an operation among numbers is done by its kernel, on tensors made of them."""
    scalar = op.declaration.scalar
    return scalar is not None and scalar.expression is None


def finds_scalar(op: Any) -> bool:
    """Return True if an operation looks a single number up in a list of tensors."""
    if op.declaration.name not in _LOOKUPS:
        return False
    found = op.outputs[0]
    return found._dims == () and is_small(found)


def expression_of(op: Any) -> str:
    """Return the Python that an operation is, with a place for each input."""
    expression: str = op.declaration.scalar.expression
    return expression


def _is_nonzero(tensor: Any) -> bool:
    return is_constant(tensor) and bool(np.all(tensor.op.attrs["value"] != 0))


# What the written Python calls.


def _tensor(number: Any) -> Any:
    if type(number) is np.ndarray:
        return torch.from_numpy(number)
    if isinstance(number, TensorList):  # a history of numbers
        return TensorList(number.element, number.dims, list(map(_tensor, number.value)))
    return torch.from_numpy(np.asarray(number))


def _number(content: Any) -> Any:
    # NumPy is quicker with its scalars than with arrays of rank zero.
    try:
        return content.numpy()[()]
    except (AttributeError, RuntimeError, TypeError):  # on a device, or no plain tensor
        return to_numpy(content)[()]


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
