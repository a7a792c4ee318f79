"""What is known of a tensor without running anything: get_static_value, is_tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.nest import Composite
from placewise.core.tensor import Tensor, TensorLike
from placewise.ops.values import EagerTensor


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of a tensor as NumPy gives it if it is known already, else None.

    `partial`: of a vector or matrix stacked in a graph, return what is known, None for the rest.
    """
    if isinstance(tensor, EagerTensor):
        try:
            return tensor.numpy()
        except (ValueError, NotImplementedError):
            return None
    if hasattr(type(tensor), "assign"):  # a variable may change
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    known = getattr(tensor, "_static_value", None)  # a symbolic tensor knows how to find out
    value = known(partial) if callable(known) else known
    return None if value is None else np.array(value)  # the graph keeps its own


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of a tensor as NumPy gives it if TensorFlow would know it, else None.

    Of a graph's arithmetic placewise knows more, but programs take a value told here as a sign
    that they may treat the tensor as a number.
    """
    is_told = getattr(tensor, "_is_told", None)
    if is_told is None or is_told() or partial:
        return get_static_value(tensor, partial)
    return None


def is_tensor(x: Any) -> bool:
    """Return True for tensors, variables, sparse and ragged tensors: what ops take as they are."""
    kind = type(x)
    return (
        isinstance(x, TensorLike)
        or (isinstance(x, Composite) and x.is_native)
        or (hasattr(kind, "__tf_tensor__") and hasattr(kind, "assign"))
    )


def is_symbolic_tensor(tensor: Any) -> bool:
    """Return True for a tensor of a graph, which has no value yet."""
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)
