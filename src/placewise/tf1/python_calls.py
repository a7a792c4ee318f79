"""Python functions as ops, in the spelling of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.ops.flow import host_calls


def py_func(
    func: Callable[..., Any],
    inp: TensorLike,
    Tout: Any,  # noqa: N803
    stateful: bool = True,
    name: Any = None,
) -> Any:
    """Call `func` with NumPy arrays and return its results as tensors of the dtypes `Tout`."""
    return host_calls.numpy_function(func, inp, Tout, stateful, name)


def numpy_function(
    func: Callable[..., Any],
    inp: TensorLike,
    Tout: Any,  # noqa: N803
    name: str | None = None,
) -> Any:
    """Call `func` with NumPy arrays and return its results as tensors of the dtypes `Tout`."""
    return host_calls.numpy_function(func, inp, Tout, True, name)
