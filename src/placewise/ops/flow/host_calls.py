"""Python functions as ops: `tf.py_function`, `tf.numpy_function`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import invalid
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
    return _as_declared(results, Tout)


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
    return _as_found(func(*[np.array(each) for each in inp]))


def _as_found(results: Any) -> Any:
    """Return results as tensors of their own dtypes: eager calls do not look at the declared."""
    flat = nest.flatten(results)
    tensors = [None if value is None else convert_to_tensor(value) for value in flat]
    return tensors[0] if len(tensors) == 1 else tensors


def _as_declared(results: TensorLike, wanted: Any) -> Any:
    if isinstance(wanted, (list, tuple)):
        if not wanted:
            return []
        given = list(results) if isinstance(results, (list, tuple)) else [results]
        if len(given) != len(wanted):
            raise invalid(
                f"pyfunc returned {len(given)} values, but expects to see {len(wanted)} values."
            )
        return [
            convert_to_tensor(value, as_dtype(dtype))
            for value, dtype in zip(given, wanted, strict=True)
        ]
    if isinstance(results, (list, tuple)) and len(results) == 1:
        results = results[0]
    return convert_to_tensor(results, as_dtype(wanted))
