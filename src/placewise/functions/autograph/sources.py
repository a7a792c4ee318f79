"""The syntax tree of a function: found in its file by where its code says it begins.

The file is parsed whole and once, so that lambdas inside longer expressions are found too, and
every node has the line and column it has in the user's file.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# File name → (its lines, the functions in it by first line).
_files: dict[str, tuple[list[str], dict[int, list[Definition]]]] = {}


class NoSourceError(Exception):
    """The source of a function cannot be seen."""


def definition_of(function: FunctionType) -> Definition:
    """Return the node that defines a function, as the file has it now."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSourceError("could not get source code")
    nodes = [
        node
        for node in _functions_of(code.co_filename, lines).get(code.co_firstlineno, [])
        if _matches(node, code)
    ]
    if len(nodes) > 1:
        nodes = [node for node in nodes if _holds(node, code)]
    if len(nodes) != 1:
        raise NoSourceError(
            f"{'no' if not nodes else 'more than one'} function {code.co_name} begins at line "
            f"{code.co_firstlineno} of {code.co_filename}"
        )
    return nodes[0]


def _functions_of(filename: str, lines: list[str]) -> dict[int, list[Definition]]:
    known = _files.get(filename)
    if known is not None and (known[0] is lines or known[0] == lines):
        return known[1]
    try:
        tree = ast.parse("".join(lines), filename)
    except (SyntaxError, ValueError) as problem:
        raise NoSourceError(f"could not parse {filename}: {problem}") from None
    result: dict[int, list[Definition]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            result.setdefault(first_line(node), []).append(node)
    _files[filename] = (lines, result)
    return result


def first_line(node: Definition) -> int:
    """Return the line a code object says it begins at: that of the first decorator, if any."""
    if isinstance(node, ast.Lambda):
        return node.lineno
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])


def _matches(node: Definition, code: CodeType) -> bool:
    named = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    arguments = node.args
    return (
        # A private name of a class is mangled in the code.
        code.co_name.endswith(named)
        and len(arguments.posonlyargs) + len(arguments.args) == code.co_argcount
        and len(arguments.kwonlyargs) == code.co_kwonlyargcount
    )


def _holds(node: Definition, code: CodeType) -> bool:
    """Return True if the first instructions of the code are inside the node's body."""
    body = node.body if isinstance(node.body, list) else [node.body]
    first, last = body[0], body[-1]
    begins = (first.lineno, first.col_offset)
    ends = (last.end_lineno, last.end_col_offset)
    for line, end_line, column, end_column in code.co_positions():
        if None in (line, end_line, column, end_column) or (not column and not end_column):
            continue
        inside = begins <= (line, column) and (end_line, end_column) <= ends
        if not inside:
            return False
    return not any(isinstance(item, ast.Lambda) and _is_within(item, code) for item in _below(node))


def _below(node: Definition) -> list[ast.AST]:
    return [item for item in ast.walk(node) if item is not node]


def _is_within(node: ast.Lambda, code: CodeType) -> bool:
    return _matches(node, code) and _holds(node, code)


def is_generator(function: Callable[..., Any]) -> bool:
    """Return True for functions that yield or await: these stay as they are."""
    return (
        inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or inspect.isasyncgenfunction(function)
    )
