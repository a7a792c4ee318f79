"""What libraries ask about functions: `tensorflow.python.util.function_utils`, `tf_inspect`."""

from __future__ import annotations

import collections
import functools
import inspect
from types import ModuleType
from typing import Any

from placewise.core.decorators import unwrap

ArgSpec = collections.namedtuple("ArgSpec", ("args", "varargs", "keywords", "defaults"))
_inspect: ModuleType = inspect


def fn_args(fn: Any) -> tuple[str, ...]:
    """Return the names of a function's arguments, without `self` and those a partial has."""
    if isinstance(fn, functools.partial):
        names = fn_args(fn.func)
        return tuple(name for name in names[len(fn.args) :] if name not in (fn.keywords or {}))
    if hasattr(fn, "__call__") and not inspect.isroutine(fn) and not inspect.isclass(fn):  # noqa: B004 - its method is looked at
        fn = fn.__call__
    args = inspect.getfullargspec(unwrap(fn)[1]).args
    return tuple(args[1:] if inspect.ismethod(fn) and args else args)


def has_kwargs(fn: Any) -> bool:
    """Return whether a function takes any keyword argument."""
    if isinstance(fn, functools.partial):
        fn = fn.func
    elif not inspect.isroutine(fn) and callable(fn):
        fn = fn.__call__
    elif not callable(fn):
        raise TypeError(
            f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})"
        )
    return inspect.getfullargspec(fn).varkw is not None


def get_func_name(func: Any) -> str:
    """Return the name of a function, lambda or partial."""
    _, func = unwrap(func)
    if not callable(func):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={func} (of type {type(func)})"
        )
    if isinstance(func, functools.partial):
        return get_func_name(func.func)
    return str(getattr(func, "__name__", type(func)))


def _shown(decorators: list[Any]) -> Any:
    """Return the arguments that the outermost decorator says it takes, if one does."""
    return next((d.decorator_argspec for d in decorators if d.decorator_argspec is not None), None)


def getargspec(obj: Any) -> Any:
    """Return the arguments of a function as Python 2 described them."""
    decorators, target = unwrap(obj)
    shown = _shown(decorators)
    if shown is not None:
        return shown
    full = inspect.getfullargspec(target)
    return ArgSpec(full.args, full.varargs, full.varkw, full.defaults)


def getfullargspec(obj: Any) -> Any:
    """Return the arguments of a function; of one of placewise's own without its annotations.

    TensorFlow's functions have none, and libraries compare the whole specification of theirs with
    TensorFlow's. A decorator may have said what arguments it takes.
    """
    decorators, target = unwrap(obj)
    spec = _shown(decorators)
    if spec is None:
        spec = inspect.getfullargspec(target)
    elif not isinstance(spec, inspect.FullArgSpec):
        args, varargs, varkw, defaults = spec
        spec = inspect.FullArgSpec(args, varargs, varkw, defaults, [], None, {})
    if (getattr(obj, "__module__", None) or "").startswith("placewise."):
        spec = spec._replace(annotations={})
    return spec
