"""Which names statements bind and read, and which are still needed after them.

A composite name is an attribute or an item by a literal key or plain name (`self.x`, `d['k']`,
`d[k]`), written as its source; its root is the name it begins with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def composite_of(node: ast.AST) -> str | None:
    """Return the text of an attribute or item that can be assigned to, or None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = composite_of(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Constant, ast.Name)):
        inner = composite_of(node.value)
        return None if inner is None else f"{inner}[{ast.unparse(node.slice)}]"
    return None


class _Bindings(ast.NodeVisitor):
    """Collects the names and the composites that statements bind, nested functions apart."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.composites: set[str] = set()
        self.declared: set[str] = set()  # global here

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def _visit_composite(self, node: Any) -> None:
        if not isinstance(node.ctx, ast.Load):
            text = composite_of(node)
            if text is not None:
                self.composites.add(text)
        self.generic_visit(node)

    visit_Attribute = _visit_composite  # noqa: N815 - the visitor's names
    visit_Subscript = _visit_composite  # noqa: N815

    def _visit_definition(self, node: Any) -> None:
        self.names.add(node.name)

    visit_FunctionDef = _visit_definition  # noqa: N815
    visit_AsyncFunctionDef = _visit_definition  # noqa: N815
    visit_ClassDef = _visit_definition  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def _visit_comprehension(self, node: Any) -> None:
        # Only what := binds leaves a comprehension.
        for node_inside in ast.walk(node):
            if isinstance(node_inside, ast.NamedExpr):
                self.visit(node_inside.target)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = (  # noqa: N815
        _visit_comprehension
    )

    def _visit_import(self, node: Any) -> None:
        for name in node.names:
            self.names.add((name.asname or name.name).split(".")[0])

    visit_Import = visit_ImportFrom = _visit_import  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def _visit_named_pattern(self, node: Any) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _visit_named_pattern  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.names.add(node.rest)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.declared.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.names.update(node.names)


def bindings(nodes: Iterable[ast.AST]) -> _Bindings:
    """Return what statements bind."""
    result = _Bindings()
    for node in nodes:
        result.visit(node)
    return result


class _Reads(ast.NodeVisitor):
    """Collects the names an expression or statement may read, those of functions inside too."""

    def __init__(self, closures: dict[str, set[str]]) -> None:
        self.names: set[str] = set()
        self.closures = closures

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Store):  # what is deleted has to be there
            self.names.add(node.id)
            self.names |= self.closures.get(node.id, frozenset())

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.names.add(node.target.id)
        self.generic_visit(node)

    def _visit_function(self, node: Any) -> None:
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        for default in getattr(node, "decorator_list", []):
            self.visit(default)
        self.names |= free_names(node, self.closures)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function  # noqa: N815

    def _visit_comprehension(self, node: Any) -> None:
        inner = _Reads(self.closures)
        inner.generic_visit(node)
        targets = bindings(generator.target for generator in node.generators).names
        self.visit(node.generators[0].iter)
        self.names |= inner.names - targets

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = (  # noqa: N815
        _visit_comprehension
    )


def reads(node: ast.AST | None, closures: dict[str, set[str]]) -> set[str]:
    """Return the names that evaluating a node may read."""
    if node is None:
        return set()
    names_read = _Reads(closures)
    names_read.visit(node)
    return names_read.names


def argument_names(arguments: ast.arguments) -> list[str]:
    """Return the names of all parameters."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    return [item.arg for item in every]


def free_names(node: Any, closures: dict[str, set[str]]) -> set[str]:
    """Return the names of the surroundings that calling a nested function may read."""
    body = node.body if isinstance(node.body, list) else [node.body]
    names_read = _Reads(closures)
    for node_inside in body:
        names_read.visit(node_inside)
    bound = bindings(body)
    outer = {
        name
        for item in ast.walk(node)
        if isinstance(item, (ast.Nonlocal, ast.Global))
        for name in item.names
    }
    return (names_read.names | outer) - ((bound.names - outer) | set(argument_names(node.args)))


def closures_of(body: list[ast.stmt]) -> dict[str, set[str]]:
    """Return, for each function defined in a body, what calling it may read."""
    result: dict[str, set[str]] = {}
    definitions = [
        item
        for statement in body
        for item in ast.walk(statement)
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    # A name given to a lambda is a function as well.
    named = [
        (target.id, item.value)
        for statement in body
        for item in ast.walk(statement)
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Lambda)
        for target in item.targets
        if isinstance(target, ast.Name)
    ]
    for _ in range(2):  # twice: functions that call one another
        for definition in definitions:
            result.setdefault(definition.name, set()).update(free_names(definition, result))
        for name, value in named:
            result.setdefault(name, set()).update(free_names(value, result))
    return result


class Liveness:
    """Which names are needed before a statement, given those needed after it."""

    def __init__(self, closures: dict[str, set[str]]) -> None:
        self.closures = closures

    def before_all(self, statements: list[ast.stmt], after: set[str]) -> set[str]:
        """Return what is needed before a list of statements."""
        for statement in reversed(statements):
            after = self.before(statement, after)
        return after

    def before(self, statement: ast.stmt, after: set[str]) -> set[str]:
        """Return what is needed before one statement."""
        rule = getattr(self, f"_{type(statement).__name__.lower()}", None)
        if rule is not None:
            needed: set[str] = rule(statement, after)
            return needed
        return (after - self._always_bound(statement)) | reads(statement, self.closures)

    def _always_bound(self, statement: ast.stmt) -> set[str]:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)):
            return bindings([statement]).names
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return {statement.name}
        if isinstance(statement, ast.Delete):
            return bindings([statement]).names
        return set()

    def _return(self, statement: ast.Return, after: set[str]) -> set[str]:
        return reads(statement.value, self.closures)

    def _raise(self, statement: ast.Raise, after: set[str]) -> set[str]:
        return reads(statement, self.closures)

    def _if(self, statement: ast.If, after: set[str]) -> set[str]:
        sides = self.before_all(statement.body, after) | self.before_all(statement.orelse, after)
        return reads(statement.test, self.closures) | sides

    def _while(self, statement: ast.While, after: set[str]) -> set[str]:
        return self.at_loop(statement, after)

    def _for(self, statement: ast.For, after: set[str]) -> set[str]:
        return self.at_loop(statement, after) | reads(statement.iter, self.closures)

    def at_loop(self, statement: Any, after: set[str]) -> set[str]:
        """Return what is needed when an iteration of a loop begins, or the loop ends."""
        result = set(after)
        test = getattr(statement, "test", None)
        target = getattr(statement, "target", None)
        bound = bindings([target]).names if target is not None else set()
        extra = getattr(statement, "extra_test", None)
        result |= reads(test, self.closures) | reads(extra, self.closures)
        while True:
            again = result | (self.before_all(statement.body, result) - bound)
            if again == result:
                return result
            result = again

    def _with(self, statement: ast.With, after: set[str]) -> set[str]:
        result = self.before_all(statement.body, after)
        for item in reversed(statement.items):
            if item.optional_vars is not None:
                result = (result - bindings([item.optional_vars]).names) | reads(
                    item.optional_vars, self.closures
                )
            result |= reads(item.context_expr, self.closures)
        return result

    def _try(self, statement: ast.Try, after: set[str]) -> set[str]:
        # An exception may come from anywhere: nothing is known to be bound anew.
        final = self.before_all(statement.finalbody, after)
        names_read = final | after
        for handler in statement.handlers:
            names_read |= self.before_all(handler.body, final) | reads(handler.type, self.closures)
        names_read |= self.before_all(statement.orelse, final)
        return names_read | self.before_all(statement.body, names_read)

    _trystar = _try

    def _match(self, statement: Any, after: set[str]) -> set[str]:
        result = after | reads(statement.subject, self.closures)
        for case in statement.cases:
            result |= self.before_all(case.body, after) | reads(case.guard, self.closures)
            result |= reads(case.pattern, self.closures)
        return result


class ItemReads(Liveness):
    """Finds which items of `for` loops are read after the loop, before another loop binds them."""

    def __init__(self, closures: dict[str, set[str]]) -> None:
        super().__init__(closures)
        self._by_loop: dict[int, set[str]] = {}

    def of(self, loop: ast.For) -> set[str]:
        """Return the names of a loop's items that are read after it."""
        return self._by_loop.get(id(loop), set())

    def _for(self, statement: ast.For, after: set[str]) -> set[str]:
        items = bindings([statement.target]).names
        self._by_loop.setdefault(id(statement), set()).update(after & items)
        needed = self.at_loop(statement, after) - items
        return needed | reads(statement.iter, self.closures)
