"""`break`, `continue` and `return` inside converted statements, turned into flags.

What follows a branch that always jumps moves into the other branch; what follows one that may
jump runs only if no flag is set. A loop stops when its flag is set. Statements that stay Python
keep their jumps, unless something converted stands between a jump and where it leads.
"""

from __future__ import annotations

import ast
from typing import Any

RETURNED, VALUE = "do_return", "retval_"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def name(text: str, at: ast.AST, store: bool = False) -> ast.Name:
    """Return a name where another node stands."""
    return ast.copy_location(ast.Name(text, ast.Store() if store else ast.Load()), at)


def assign(text: str, value: ast.expr, at: ast.AST) -> ast.Assign:
    """Return an assignment where another node stands."""
    return ast.copy_location(ast.Assign([name(text, at, True)], value), at)


def constant(value: Any, at: ast.AST) -> ast.Constant:
    """Return a constant where another node stands."""
    return ast.copy_location(ast.Constant(value), at)


def _has(nodes: list[ast.stmt], kinds: Any) -> bool:
    """Return True if a jump out of these statements is of these kinds."""
    return any(_jumps(node, kinds) for node in nodes)


def _jumps(node: ast.AST, kinds: Any) -> bool:
    if isinstance(node, kinds):
        return True
    if isinstance(node, _FUNCTIONS):
        return False
    if isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
        # A break or continue in a loop is that loop's own.
        within = tuple(kind for kind in _as_tuple(kinds) if kind is ast.Return)
        own = bool(within) and _has(node.body, within)
        return own or _has(node.orelse, kinds)
    return any(_jumps(child, kinds) for child in ast.iter_child_nodes(node))


def _as_tuple(kinds: Any) -> tuple[Any, ...]:
    return kinds if isinstance(kinds, tuple) else (kinds,)


_ANY = (ast.Return, ast.Break, ast.Continue)


def always_jumps(statements: list[ast.stmt]) -> bool:
    """Return True if control never comes to the end of these statements."""
    return any(_always(statement) for statement in statements)


def _always(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
        return True
    if isinstance(statement, ast.If):
        return always_jumps(statement.body) and always_jumps(statement.orelse)
    if isinstance(statement, ast.With):
        return always_jumps(statement.body)
    return False


def always_returns(statements: list[ast.stmt]) -> bool:
    """Return True if every way through these statements ends in a return or an error."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Raise)):
            return True
        if isinstance(statement, ast.If):
            if always_returns(statement.body) and always_returns(statement.orelse):
                return True
        elif isinstance(statement, ast.With) and always_returns(statement.body):
            return True
        elif isinstance(statement, ast.Try):
            tried = always_returns([*statement.body, *statement.orelse])
            caught = all(always_returns(handler.body) for handler in statement.handlers)
            if (tried and caught) or always_returns(statement.finalbody):
                return True
    return False


class Lowering:
    """Lowers the jumps of one function; `used` are names it must not take."""

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._flags: list[str] = []
        self.lowered_return = False
        self.gives_values = True

    def fresh(self, stem: str) -> str:
        """Return a name that the function does not use."""
        number = 0
        text = stem
        while text in self._used:
            number += 1
            text = f"{stem}_{number}"
        self._used.add(text)
        return text

    def function(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the body of a function without jumps out of statements that are converted."""
        complete = always_returns(body)
        needs = any(_return_in_converted(item) for item in body)
        self.lowered_return = needs
        if not needs:
            return self._block(body, None)
        values = [item.value for item in _returns(body)]
        self.gives_values = any(
            value is not None and not (isinstance(value, ast.Constant) and value.value is None)
            for value in values
        )
        self.returned, self.value = self.fresh(RETURNED), self.fresh(VALUE)
        first, last = body[0], body[-1]
        lowered = self._block(_with_rest_moved(body), None)
        begin: list[ast.stmt] = [assign(self.returned, constant(False, first), first)]
        if not self.gives_values:
            return [*begin, *lowered]
        end = ast.Return(name(self.value, last))
        if not complete:
            end.value = ast.Call(
                ast.Attribute(name("ag__", last), "fallen_through", ast.Load()),
                [
                    name(self.returned, last),
                    ast.Lambda(_no_arguments(), name(self.value, last)),
                ],
                [],
            )
        return [*begin, *lowered, ast.fix_missing_locations(ast.copy_location(end, last))]

    def _block(self, statements: list[ast.stmt], loop: _Loop | None) -> list[ast.stmt]:
        """Return statements, those after one that may jump guarded by the flags it may set."""
        result: list[ast.stmt] = []
        for position, statement in enumerate(statements):
            flags = self._flags_of(statement, loop)
            result += self._statement(statement, loop)
            rest = statements[position + 1 :]
            if isinstance(statement, _ANY) and result and not isinstance(result[-1], _ANY):
                return result  # nothing after a jump is reached
            if flags and rest:
                guard = ast.If(_none_of(flags, rest[0]), self._block(rest, loop), [])
                result.append(ast.fix_missing_locations(ast.copy_location(guard, rest[0])))
                return result
        return result or [ast.copy_location(ast.Pass(), statements[0])] if statements else result

    def _flags_of(self, statement: ast.stmt, loop: _Loop | None) -> list[str]:
        """Return the flags that a statement may have set when it is done."""
        flags = []
        if self.lowered_return and _has([statement], ast.Return):
            flags.append(self.returned)
        if loop is not None:
            if loop.broken is not None and _has([statement], ast.Break):
                flags.append(loop.broken)
            if loop.continued is not None and _has([statement], ast.Continue):
                flags.append(loop.continued)
        return flags

    def _statement(self, node: ast.stmt, loop: _Loop | None) -> list[ast.stmt]:
        if isinstance(node, ast.Return):
            return self._return(node)
        if isinstance(node, ast.Break) and loop is not None and loop.broken is not None:
            return [assign(loop.broken, constant(True, node), node)]
        if isinstance(node, ast.Continue) and loop is not None and loop.continued is not None:
            return [assign(loop.continued, constant(True, node), node)]
        if isinstance(node, (ast.While, ast.For)):
            return self._loop(node, loop)
        if isinstance(node, _FUNCTIONS):
            return [node]
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list) and inner:
                setattr(node, field, self._block(inner, loop))
        for holder in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            holder.body = self._block(holder.body, loop)
        return [node]

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        if not self.lowered_return:
            return [node]
        result: list[ast.stmt] = [assign(self.returned, constant(True, node), node)]
        if self.gives_values:
            result.append(assign(self.value, node.value or constant(None, node), node))
        elif node.value is not None:
            result.insert(0, ast.copy_location(ast.Expr(node.value), node))
        return result

    def _loop(self, node: Any, outer: _Loop | None) -> list[ast.stmt]:
        body = _with_rest_moved(node.body)
        loop = _Loop()
        before: list[ast.stmt] = []
        if _has(node.body, ast.Break):
            loop.broken = self.fresh("did_break")
            before.append(assign(loop.broken, constant(False, node), node))
        _drop_last_continue(body)
        if _has(body, ast.Continue):
            loop.continued = self.fresh("did_continue")
        has_return = self.lowered_return and _has(node.body, ast.Return)
        flags = [self.returned] if has_return else []
        if loop.broken is not None:
            flags.append(loop.broken)
        node.body = self._block(body, loop)
        if loop.continued is not None:
            node.body.insert(0, assign(loop.continued, constant(False, node), node))
        result: list[ast.stmt] = [*before, node]
        node.extra_test = None
        if flags:
            test = ast.fix_missing_locations(_none_of(flags, node))
            if isinstance(node, ast.While):
                together = ast.BoolOp(ast.And(), [test, node.test])
                node.test = ast.fix_missing_locations(ast.copy_location(together, node.test))
            else:
                node.extra_test = test
        if node.orelse:
            other = self._block(node.orelse, outer)
            if flags:
                chosen = ast.If(_none_of(flags, node), other, [])
                other = [ast.fix_missing_locations(ast.copy_location(chosen, node.orelse[0]))]
            node.orelse = []
            result += other
        return result


class _Loop:
    """The flags of one loop."""

    broken: str | None = None
    continued: str | None = None


def _none_of(flags: list[str], at: ast.AST) -> ast.expr:
    tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), name(flag, at)) for flag in flags]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return ast.fix_missing_locations(ast.copy_location(test, at))


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


def _returns(body: list[ast.stmt]) -> list[ast.Return]:
    result: list[ast.Return] = []
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            result.append(node)
        elif not isinstance(node, _FUNCTIONS):
            pending.extend(ast.iter_child_nodes(node))
    return result


def _return_in_converted(node: ast.AST) -> bool:
    """Return True if a return stands inside an `if` or a loop."""
    if isinstance(node, _FUNCTIONS):
        return False
    if isinstance(node, (ast.If, ast.While, ast.For)):
        return _jumps(node, ast.Return)
    return any(_return_in_converted(child) for child in ast.iter_child_nodes(node))


def _with_rest_moved(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements, what follows an `if` moved into its branch that does not jump."""
    result: list[ast.stmt] = []
    for position, statement in enumerate(statements):
        result.append(statement)
        if not isinstance(statement, ast.If) or not _has([statement], _ANY):
            continue
        rest = statements[position + 1 :]
        body, orelse = always_jumps(statement.body), always_jumps(statement.orelse)
        if rest and body != orelse:
            side = "orelse" if body else "body"
            setattr(statement, side, [*getattr(statement, side), *rest])
            rest = []
        statement.body = _with_rest_moved(statement.body)
        statement.orelse = _with_rest_moved(statement.orelse)
        if not rest and position + 1 < len(statements):
            return result
    return result


def _drop_last_continue(body: list[ast.stmt]) -> None:
    """Take out every `continue` after which nothing of its loop comes anyway."""
    if not body:
        return
    last = body[-1]
    if isinstance(last, ast.Continue):
        body[-1] = ast.copy_location(ast.Pass(), last)
    elif isinstance(last, ast.If):
        _drop_last_continue(last.body)
        _drop_last_continue(last.orelse)
