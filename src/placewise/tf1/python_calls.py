"""Python functions as ops, in the spelling of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from placewise.ops.flow import host_calls


def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: Any = None) -> Any:  # noqa: N803
    """Call `func` with NumPy arrays and return its results as tensors of the dtypes `Tout`."""
    return host_calls.numpy_function(func, inp, Tout, stateful, name)


def numpy_function(func: Any, inp: Any, Tout: Any, name: str | None = None) -> Any:  # noqa: N803
    """Call `func` with NumPy arrays and return its results as tensors of the dtypes `Tout`."""
    return host_calls.numpy_function(func, inp, Tout, True, name)
