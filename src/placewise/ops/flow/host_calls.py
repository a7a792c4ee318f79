"""Python functions as ops: `tf.py_function`, `tf.numpy_function`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import hint, invalid
from placewise.core.scope import current
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow import python_ops


def _decorator(called: Any, **options: Any) -> Any:
    """Return a decorator whose functions are called as ops, with their arguments as inputs."""
    return lambda func: functools.wraps(func)(lambda *inp: called(func, inp, **options))


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803 - TensorFlow's own name
    name: str | None = None,
) -> Any:
    """Call `func` with tensors and return its results as tensors of the dtypes `Tout`.

    Without `func`, return a decorator that makes a function be called so.
    """
    if func is None:
        return _decorator(py_function, Tout=Tout, name=name)
    if current.interpreter.graph is not None:
        return python_ops.written(python_ops.eager_py_func_op, func, inp, Tout, name)
    tensors = [convert_to_tensor(each) for each in inp]
    try:
        results = func(*tensors)
    except Exception as problem:
        raise python_ops.told(problem) from problem
    return _as_declared(results, Tout, strict=False)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,  # noqa: N803 - TensorFlow's own name
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call `func` with NumPy arrays and return its results as tensors of the dtypes `Tout`.

    Without `func`, return a decorator that makes a function be called so.
    """
    if func is None:
        return _decorator(numpy_function, Tout=Tout, stateful=stateful, name=name)
    if current.interpreter.graph is not None:
        op = python_ops.py_func_op if stateful else python_ops.py_func_stateless_op
        return python_ops.written(op, func, inp, Tout, name)
    arrays = [convert_to_tensor(each).numpy() for each in inp]
    return _as_declared(func(*arrays), Tout, strict=True)


def _as_declared(results: TensorLike, wanted: Any, strict: bool) -> Any:
    if isinstance(wanted, (list, tuple)):
        if not wanted:
            return []
        given = list(results) if isinstance(results, (list, tuple)) else [results]
        if len(given) != len(wanted):
            raise invalid(
                f"pyfunc returned {len(given)} values, but expects to see {len(wanted)} values."
            )
        return [
            _one(value, dtype, index, strict)
            for index, (value, dtype) in enumerate(zip(given, wanted, strict=True))
        ]
    if isinstance(results, (list, tuple)) and len(results) == 1:
        results = results[0]
    return _one(results, wanted, 0, strict)


def _one(value: Any, dtype: Any, index: int, strict: bool) -> Any:
    wanted = as_dtype(dtype)
    if not strict:
        return convert_to_tensor(value, wanted)
    array = python_ops.result_array(value)
    found = convert_to_tensor(array)
    if found.dtype is not wanted:
        if array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
            return convert_to_tensor(array, wanted)
        raise invalid(
            hint(
                f"{index}-th value returned by pyfunc is {found.dtype.name}, but expects "
                f"{wanted.name}",
                "return x.astype(...) from the function, or change Tout",
            )
        )
    return found
