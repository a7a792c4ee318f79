"""What a program asks of control flow from Python: conversions, options, exceptions from it."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Callable
from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

from placewise.core.scope import current
from placewise.functions.autograph import operators
from placewise.functions.autograph.calls import attempt, callee, is_own, method_of_call
from placewise.functions.autograph.conversion import (
    CannotConvertError,
    converted_code,
    is_converted,
    tree_of,
    with_code,
)
from placewise.functions.autograph.sources import is_generator
from placewise.functions.methods import Method

_AS_IS = "_placewise_not_converted"


class Feature(enum.Enum):
    """Names of parts of the conversion, which TensorFlow lets one choose; all are on here."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Return every feature."""
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """Return every feature but those given."""
        excluded = set(exclude) if isinstance(exclude, (list, tuple, set)) else {exclude}
        return tuple(set(cls.all()) - excluded - {cls.ALL})


def _not_recursive() -> Any:
    table = {item: getattr(operators, item) for item in dir(operators) if not item.startswith("__")}
    table["callee"] = lambda function: function
    return SimpleNamespace(**table)


def converted(function: Any, recursive: bool = True) -> Any:
    """Return a callable whose Python control flow is staged where tensors decide about it.

    What cannot be converted is returned as it is, after a warning.
    """
    if isinstance(function, functools.partial):
        inner = converted(function.func, recursive)
        if inner is function.func:
            return function
        return functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, MethodType | Method):
        inner = converted(function.__func__, recursive)
        if inner is function.__func__:
            return function
        if isinstance(function, Method):
            return function.calling(inner)
        return MethodType(inner, function.__self__)
    if getattr(function, _AS_IS, False) or isinstance(function, type):
        return function
    if not isinstance(function, FunctionType):
        return callee(function)
    if is_converted(function.__code__) or is_own(function) or is_generator(function):
        return function
    code = attempt(function)
    if code is None:
        return function
    return with_code(function, code, operators if recursive else _not_recursive())


class ControlStatus(enum.Enum):
    """Whether Python control flow is converted here."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """The status at some point of a program: converted inside of functions that are traced."""

    def __init__(self, status: ControlStatus) -> None:
        self.status = status


def control_status_ctx() -> ControlStatusCtx:
    """Return the status here."""
    is_traced = getattr(current.interpreter, "is_function", False)
    return ControlStatusCtx(ControlStatus.ENABLED if is_traced else ControlStatus.UNSPECIFIED)


def tf_convert(
    f: Any, ctx: ControlStatusCtx, convert_by_default: bool = True, user_requested: bool = False
) -> Any:
    """Return `f`, converted if control flow is converted where `ctx` was asked for."""
    if ctx.status is ControlStatus.ENABLED:
        return converted(f)
    return f


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Return a function that runs as it is written, and whatever it calls with it."""
    if func is None:
        return do_not_convert
    if isinstance(func, (FunctionType, MethodType)) or not hasattr(func, "__dict__"):

        @functools.wraps(func)
        def unconverted(*args: Any, **kwargs: Any) -> Any:
            return func(*args, **kwargs)

        setattr(unconverted, _AS_IS, True)
        return unconverted
    setattr(func, _AS_IS, True)
    return func


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Return a function that does the same with its control flow as operations of a graph."""
    if not callable(entity):
        raise NotImplementedError(f"Unsupported entity: {entity!r}")
    try:
        _convertible(entity)
    except CannotConvertError as problem:
        raise ValueError(f"Error converting {entity!r}: {problem}") from None
    return converted(entity, recursive)


def _convertible(entity: Callable[..., Any]) -> FunctionType:
    """Return the function behind a callable, once it is sure that it can be converted."""
    if isinstance(entity, functools.partial):
        return _convertible(entity.func)
    function = getattr(entity, "__func__", entity)
    if not isinstance(function, FunctionType):
        function = method_of_call(type(entity))
    if not isinstance(function, FunctionType):
        raise CannotConvertError("it is not a Python function")
    if not is_converted(function.__code__):
        converted_code(function)
    return function


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Return the source of what `to_graph` makes of a function."""
    entity = getattr(entity, "python_function", entity)
    function = getattr(entity, "__func__", entity)
    try:
        return ast.unparse(ast.fix_missing_locations(tree_of(function)))
    except CannotConvertError as problem:
        raise ValueError(f"Error converting {entity!r}: {problem}") from None


_UNSPECIFIED = object()


def set_loop_options(
    parallel_iterations: Any = _UNSPECIFIED,
    swap_memory: Any = _UNSPECIFIED,
    maximum_iterations: Any = _UNSPECIFIED,
    shape_invariants: Any = _UNSPECIFIED,
) -> None:
    """Say more about the loop in whose body this stands, should it become one of the graph.

    `shape_invariants` is a list of (variable, shape) pairs; `maximum_iterations` bounds the loop.
    Outside of converted loops this does nothing.
    """
