"""Which function a call in converted code runs: the one given, or its conversion.

The code of libraries, of Python itself and of classes is run as it is; that of the user, and of
packages not listed, is converted when it is first called.
"""

from __future__ import annotations

import functools
import os
import sys
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import placewise
from placewise.functions.autograph import verbosity
from placewise.functions.autograph.conversion import (
    CannotConvertError,
    converted_code,
    is_converted,
    to_call,
)
from placewise.functions.autograph.python_functions import REPLACED, TAKING_FUNCTIONS

_LIBRARIES = frozenset(
    [
        "placewise",
        "tensorflow",
        "keras",
        "tf_keras",
        "numpy",
        "torch",
        "pandas",
        "matplotlib",
        "PIL",
        "ml_dtypes",
        "tensorflow_probability",
        "mock",
        "ipdb",
        "pytest",
        "_pytest",
        "absl",
    ]
) | frozenset(sys.stdlib_module_names - {"__main__"})

_PACKAGE = os.path.dirname(os.path.abspath(placewise.__file__)) + os.sep

# Code object id → (the code object, kept so that the id stays its own, and its conversion, or a
# function to call instead, or None).
_decided: dict[int, tuple[CodeType, CodeType | FunctionType | None]] = {}
_replaced = {id(function): other for function, other in REPLACED.items()}
# Classes whose objects are called as they are.
_plain_classes: set[type] = {BuiltinFunctionType}
operators: Any = None  # the table of operators, set by the module that holds it


def callee(function: Any) -> Any:
    """Return what to call in place of a function."""
    kind = type(function)
    if kind is FunctionType:
        code = function.__code__
        known = _decided.get(id(code))
        if known is None:
            known = _decide(function)
        target = known[1]
        if target is None:
            return function
        return to_call(function, target, operators) if type(target) is CodeType else target
    if kind is MethodType:
        inner = function.__func__
        target = callee(inner)
        return function if target is inner else MethodType(target, function.__self__)
    if kind is type or kind is BuiltinFunctionType:
        return _replaced.get(id(function), function)
    if kind in _plain_classes or isinstance(function, type):
        return function
    return _of_object(function, kind)


def _of_object(function: Any, kind: type) -> Any:
    if kind is functools.partial:
        inner = callee(function.func)
        if inner is function.func:
            return function
        return functools.partial(inner, *function.args, **function.keywords)
    call = method_of_call(kind)
    if type(call) is not FunctionType:
        _plain_classes.add(kind)
        return function
    target = callee(call)
    if target is call:
        _plain_classes.add(kind)
        return function
    return MethodType(target, function)


def method_of_call(kind: type) -> Any:
    """Return the function that calling an object of a class runs, or None."""
    for cls in kind.__mro__:
        if "__call__" in vars(cls):
            return vars(cls)["__call__"]
    return None


def is_own(function: FunctionType) -> bool:
    """Return True for functions of this package; ops are made without a module."""
    return function.__code__.co_filename.startswith(_PACKAGE)


def is_of_library(function: FunctionType) -> bool:
    """Return True for functions that are run as they are, by the module they stand in."""
    if is_own(function):
        return True
    home = function.__globals__.get("__name__") or function.__module__ or ""
    return home.partition(".")[0] in _LIBRARIES


def _decide(function: FunctionType) -> tuple[CodeType, CodeType | FunctionType | None]:
    """Decide about a function met for the first time."""
    code = function.__code__
    target: CodeType | FunctionType | None = None
    if function in TAKING_FUNCTIONS:
        target = TAKING_FUNCTIONS[function]
    elif not is_converted(code) and not is_of_library(function):
        target = attempt(function)
    _decided[id(code)] = code, target
    return code, target


def attempt(function: FunctionType) -> CodeType | None:
    """Return the converted code of a function; None, and a warning, if there can be none."""
    if function.__code__.co_filename.startswith("<frozen") or is_converted(function.__code__):
        return None
    try:
        return converted_code(function)
    except CannotConvertError as problem:
        verbosity.warn(function, problem)
        return None
    except Exception as problem:
        if verbosity.is_strict():
            raise
        verbosity.warn(function, problem)
        return None
