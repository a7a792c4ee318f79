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
        node: Any = rewritten(definition_of(function))
    except NoSourceError as problem:
        raise CannotConvertError(
            f"Unable to locate the source code of {function!r}. Note that functions defined in "
            "certain environments, like the interactive Python shell, do not expose their source "
            f"code: {problem}"
        ) from None
    except (SyntaxError, RecursionError) as problem:
        raise CannotConvertError(str(problem)) from None
    return node


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
    outer = next(each for each in compiled.co_consts if isinstance(each, CodeType))
    found = _inner(outer)
    if found is None:
        raise CannotConvertError("its code was not found again")
    return _as_made(found, code.co_name, code.co_qualname)


def _strip(node: Any) -> None:
    """Take off what a function object has already: decorators, defaults, annotations."""
    arguments = node.args
    nothing = ast.copy_location(ast.Constant(None), node)
    arguments.defaults = [nothing for _ in arguments.defaults]
    arguments.kw_defaults = [each and nothing for each in arguments.kw_defaults]
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
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
    has_private = any(_is_private(each) for each in ast.walk(node))
    if has_private and len(parts) > 1 and parts[-2] != "<locals>":
        # Private names get the name of their class.
        inner = ast.ClassDef(parts[-2], [], [], [inner], [])
        inner.type_params = []  # type: ignore[attr-defined]
    free = [each for each in function.__code__.co_freevars if each != "ag__"]
    parameters = [ast.arg(each) for each in ["ag__", *free]]
    made = ast.FunctionDef(
        "ag__factory", ast.arguments([], parameters, None, [], [], None, []), [inner], []
    )
    made.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(made, node)


def _is_private(node: ast.AST) -> bool:
    text = getattr(node, "attr", None) or getattr(node, "id", None) or ""
    return isinstance(text, str) and text.startswith("__") and not text.endswith("__")


def _inner(code: CodeType) -> CodeType | None:
    """Return the code of the function inside the factory, maybe inside a class there."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            return _inner(each) if _is_class(each) else each
    return None


def _is_class(code: CodeType) -> bool:
    """Return True for the code of a class; its methods are converted when they are called."""
    return not code.co_flags & inspect.CO_OPTIMIZED


def _as_made(code: CodeType, name: str, qualified: str) -> CodeType:
    """Return code remembered as made here; the functions of blocks bear the name of theirs."""
    constants = []
    for each in code.co_consts:
        if isinstance(each, CodeType) and not _is_class(each):
            is_block = each.co_name.startswith("ag__") or each.co_name == "<lambda>"
            own = name if is_block and each.co_name != "<lambda>" else each.co_name
            inside = qualified if is_block else f"{qualified}.<locals>.{own}"
            each = _as_made(each, own, inside)
        constants.append(each)
    made = code.replace(co_name=name, co_qualname=qualified, co_consts=tuple(constants))
    _made[id(made)] = made
    return made


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
        cells = tuple([known[each] for each in names])
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, cells)
    if function.__kwdefaults__ is not None:
        made.__kwdefaults__ = function.__kwdefaults__
    return made


@functools.lru_cache(maxsize=4)
def _cell(operators: Any) -> CellType:
    return CellType(operators)


def with_code(function: FunctionType, code: CodeType, operators: Any) -> FunctionType:
    """Return a function with other code, in the surroundings of the one given."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["ag__"] = CellType(operators)
    made = FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple([cells[each] for each in code.co_freevars]),
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__doc__ = function.__doc__
    made.__module__ = function.__module__
    if function.__dict__:
        made.__dict__.update(function.__dict__)
    return made
