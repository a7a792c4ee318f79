"""Converting a function: its code is made anew once, and given the function's own surroundings.

The new code has the file and lines of the old one, so tracebacks show the user's program. It gets
the function's globals, its cells, its defaults; one more cell holds the operators.
"""

from __future__ import annotations

import ast
import functools
import inspect
from types import CellType, CodeType, FunctionType
from typing import Any

from placewise.functions.autograph.sources import NoSourceError, definition_of, is_generator
from placewise.functions.autograph.transformer import rewritten
from placewise.functions.autograph.verbosity import is_strict

# Code object id → (the code object, kept so that the id stays its own, its conversion or None).
_converted: dict[int, tuple[CodeType, CodeType]] = {}
_made: dict[int, CodeType] = {}
_FLAGS = 0
for _feature in ("annotations", "barry_as_FLUFL", "generator_stop"):
    _FLAGS |= getattr(__import__("__future__"), _feature).compiler_flag


class CannotConvertError(Exception):
    """A function stays as it is, for the reason given."""


def is_converted(code: CodeType) -> bool:
    """Return True for code that was made here."""
    return id(code) in _made


def converted_code(function: FunctionType) -> CodeType:
    """Return the code of a function with its control flow turned into calls of operators."""
    code = function.__code__
    known = _converted.get(id(code))
    if known is None:
        known = _converted[id(code)] = code, _convert(function)
    return known[1]


def tree_of(function: FunctionType) -> Any:
    """Return the syntax tree of a converted function."""
    if is_generator(function):
        raise CannotConvertError("generators are not supported")
    try:
        definition = definition_of(function)
        if is_strict():
            _refuse_else(definition)
        node: Any = rewritten(definition)
    except NoSourceError as problem:
        raise CannotConvertError(
            f"Unable to locate the source code of {function!r}. Note that functions defined in "
            "certain environments, like the interactive Python shell, do not expose their source "
            f"code: {problem}"
        ) from None
    except (SyntaxError, RecursionError) as problem:
        raise CannotConvertError(str(problem)) from None
    return node


def _refuse_else(tree: ast.AST) -> None:
    """Raise what TensorFlow does, where a failed conversion is an error, for `else` of loops.

    Otherwise they are converted; TensorFlow leaves a function with one alone.
    """
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            kind = "for" if isinstance(node, ast.For) else "while"
            raise NotImplementedError(f"{kind}/else statement not yet supported")


def _convert(function: FunctionType) -> CodeType:
    code = function.__code__
    node = tree_of(function)
    _strip(node)
    module = ast.Module([_factory(node, function)], [])
    ast.fix_missing_locations(module)
    try:
        compiled = compile(
            module, code.co_filename, "exec", flags=code.co_flags & _FLAGS, dont_inherit=True
        )
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise CannotConvertError(f"{type(problem).__name__}: {problem}") from None
    outer = next(const for const in compiled.co_consts if isinstance(const, CodeType))
    inner_code = _inner(outer)
    if inner_code is None:
        raise CannotConvertError("its code was not found again")
    return _as_made(inner_code, code.co_name, code.co_qualname)


def _strip(node: Any) -> None:
    """Take off what a function object has already: decorators, defaults, annotations."""
    arguments = node.args
    nothing = ast.copy_location(ast.Constant(None), node)
    arguments.defaults = [nothing for _ in arguments.defaults]
    arguments.kw_defaults = [default and nothing for default in arguments.kw_defaults]
    for item in ast.walk(arguments):
        if isinstance(item, ast.arg):
            item.annotation = None
    if not isinstance(node, ast.Lambda):
        node.decorator_list, node.returns = [], None
        if hasattr(node, "type_params"):
            node.type_params = []


def _factory(node: Any, function: FunctionType) -> ast.FunctionDef:
    """Return a function around the definition that has the same free names."""
    if isinstance(node, ast.FunctionDef):
        node.name = "ag__function"  # its own name inside it is a global, or a cell
        inner: ast.stmt = node
    else:
        inner = ast.Expr(node)
    parts = function.__qualname__.split(".")
    has_private = any(_is_private(item) for item in ast.walk(node))
    if has_private and len(parts) > 1 and parts[-2] != "<locals>":
        # Private names get the name of their class.
        inner = ast.ClassDef(parts[-2], [], [], [inner], [])
        inner.type_params = []  # type: ignore[attr-defined]
    free = [freevar for freevar in function.__code__.co_freevars if freevar != "ag__"]
    parameters = [ast.arg(item) for item in ["ag__", *free]]
    function_def = ast.FunctionDef(
        "ag__factory", ast.arguments([], parameters, None, [], [], None, []), [inner], []
    )
    function_def.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(function_def, node)


def _is_private(node: ast.AST) -> bool:
    text = getattr(node, "attr", None) or getattr(node, "id", None) or ""
    return isinstance(text, str) and text.startswith("__") and not text.endswith("__")


def _inner(code: CodeType) -> CodeType | None:
    """Return the code of the function inside the factory, maybe inside a class there."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            return _inner(const) if _is_class(const) else const
    return None


def _is_class(code: CodeType) -> bool:
    """Return True for the code of a class; its methods are converted when they are called."""
    return not code.co_flags & inspect.CO_OPTIMIZED


def _as_made(code: CodeType, name: str, qualified: str) -> CodeType:
    """Return code remembered as made here; the functions of blocks bear the name of theirs."""
    constants = []
    for const in code.co_consts:
        if isinstance(const, CodeType) and not _is_class(const):
            is_block = const.co_name.startswith("ag__") or const.co_name == "<lambda>"
            own = name if is_block and const.co_name != "<lambda>" else const.co_name
            inside = qualified if is_block else f"{qualified}.<locals>.{own}"
            const = _as_made(const, own, inside)
        constants.append(const)
    result = code.replace(co_name=name, co_qualname=qualified, co_consts=tuple(constants))
    _made[id(result)] = result
    return result


def to_call(function: FunctionType, code: CodeType, operators: Any) -> FunctionType:
    """Return a function with other code, to be called at once: no more than a call needs."""
    names, closure = code.co_freevars, function.__closure__
    if not names:
        cells: tuple[Any, ...] = ()
    elif closure is None:  # nothing can be free in it but the operators
        cells = (_cell(operators),)
    else:
        known = dict(zip(function.__code__.co_freevars, closure, strict=True))
        known["ag__"] = _cell(operators)
        cells = tuple([known[name] for name in names])
    function_type = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, cells
    )
    if function.__kwdefaults__ is not None:
        function_type.__kwdefaults__ = function.__kwdefaults__
    return function_type


@functools.lru_cache(maxsize=4)
def _cell(operators: Any) -> CellType:
    return CellType(operators)


def with_code(function: FunctionType, code: CodeType, operators: Any) -> FunctionType:
    """Return a function with other code, in the surroundings of the one given."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["ag__"] = CellType(operators)
    function_type = FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple([cells[freevar] for freevar in code.co_freevars]),
    )
    function_type.__kwdefaults__ = function.__kwdefaults__
    function_type.__qualname__ = function.__qualname__
    function_type.__doc__ = function.__doc__
    function_type.__module__ = function.__module__
    if function.__dict__:
        function_type.__dict__.update(function.__dict__)
    return function_type
