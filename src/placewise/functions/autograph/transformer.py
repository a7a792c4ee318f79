"""Statements and expressions of a function turned into calls of operators that decide as it runs.

The bodies of `if`, `while` and `for` become functions inside the function, which share its
variables (`nonlocal`); two more read and replace those that the statement changes and that are
needed later. Nothing else of the function changes: names, lines and closures stay.
"""

from __future__ import annotations

import ast
import copy
from typing import Any, TypeVar

from placewise.functions.autograph.jumps import Lowering, name
from placewise.functions.autograph.names import (
    ItemReads,
    Liveness,
    argument_names,
    bindings,
    closures_of,
)
from placewise.functions.autograph.sources import Definition

Node = TypeVar("Node", bound=ast.AST)

# Builtins that never see into a tensor: calling them needs no help.
_PLAIN_CALLS = frozenset(
    [
        "isinstance",
        "issubclass",
        "hasattr",
        "getattr",
        "setattr",
        "callable",
        "type",
        "id",
        "repr",
        "str",
        "dict",
        "list",
        "tuple",
        "set",
        "frozenset",
        "object",
        "slice",
        "property",
        "staticmethod",
        "classmethod",
        "locals",
        "globals",
        "vars",
        "dir",
    ]
)
_PYTHON_TESTS = frozenset(("isinstance", "issubclass", "hasattr", "callable"))
_PYTHON_COMPARISONS = (ast.Is, ast.IsNot)
_OPERATORS = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Is: "is_",
    ast.IsNot: "is_not",
    ast.In: "in_",
    ast.NotIn: "not_in",
}


def rewritten(node: Definition) -> Any:
    """Return a new definition of a function, its control flow turned into calls of operators."""
    node = copy.deepcopy(node)
    if isinstance(node, ast.Lambda):
        first = argument_names(node.args)[:1]
        node.body = _Expressions(first[0] if first else None).visit(node.body)
        return node
    return _function(node)


def _function(node: Any) -> Any:
    """Rewrite the definition of a function in place, and return it."""
    body = [_Plain().visit(item) for item in node.body]
    head: list[ast.stmt] = []
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        head, body = body[:1], body[1:]
    if not body:
        return node
    used = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
    lowered = Lowering(used).function(body)
    node.body = [*head, *_Statements(node.args, lowered).made]
    return node


class _Plain(ast.NodeTransformer):
    """Drops annotations of local names, which a shared variable may not have."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef  # noqa: N815


def _operator(which: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
    """Return a call of one of the operators, where another node stands."""
    called = ast.Attribute(ast.Name("ag__", ast.Load()), which, ast.Load())
    return _placed(ast.Call(called, arguments, []), at)


def _placed(node: Node, at: ast.AST) -> Node:
    """Give a node, and what of it has no place yet, the place of another."""
    return ast.fix_missing_locations(ast.copy_location(node, at))


def _head(node: Any) -> ast.AST:
    """Return the place of the line a statement begins with: there its errors are reported."""
    test = getattr(node, "test", None) or node.iter
    ends_there = test.end_lineno == node.lineno
    return ast.Pass(
        lineno=node.lineno,
        col_offset=node.col_offset,
        end_lineno=node.lineno,
        end_col_offset=test.end_col_offset if ends_there else node.col_offset,
    )


def _thunk(value: ast.expr) -> ast.expr:
    empty = ast.arguments([], [], None, [], [], None, [])
    return _placed(ast.Lambda(empty, value), value)


def _binds_names(node: ast.AST) -> bool:
    return any(isinstance(item, ast.NamedExpr) for item in ast.walk(node))


def _is_python(test: ast.expr) -> bool:
    """Return True for tests whose value is never a tensor."""
    if isinstance(test, ast.Compare):
        return all(isinstance(operation, _PYTHON_COMPARISONS) for operation in test.ops)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_python(test.operand)
    if isinstance(test, ast.BoolOp):
        return all(_is_python(value) for value in test.values)
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id in _PYTHON_TESTS
    return isinstance(test, ast.Constant)


class _Expressions(ast.NodeTransformer):
    """Rewrites expressions: calls, boolean operators, comparisons, ternaries, nested functions."""

    def __init__(self, first_argument: str | None) -> None:
        self._first = first_argument

    def visit_Call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id == "super" and not node.args and not node.keywords and self._first:
                node.args = [name("__class__", node), name(self._first, node)]
                return node
            if function.id in _PLAIN_CALLS:
                return self.generic_visit(node)
        self.generic_visit(node)
        node.func = _operator("callee", [node.func], function)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if _binds_names(node) or _is_python(node):
            return self.generic_visit(node)
        self.generic_visit(node)
        which = "and_" if isinstance(node.op, ast.And) else "or_"
        return _operator(which, [node.values[0], *map(_thunk, node.values[1:])], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        is_plain = not isinstance(node.op, ast.Not) or _is_python(node.operand)
        self.generic_visit(node)
        return node if is_plain else _operator("not_", [node.operand], node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) == 1 or _binds_names(node) or _is_python(node):
            return self.generic_visit(node)
        self.generic_visit(node)
        pairs: list[ast.expr] = []
        for operator, value in zip(node.ops, node.comparators, strict=True):
            pairs += [ast.Constant(_OPERATORS[type(operator)]), _thunk(value)]
        return _operator("chained", [node.left, *pairs], node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if _binds_names(node.body) or _binds_names(node.orelse) or _is_python(node.test):
            return self.generic_visit(node)
        self.generic_visit(node)
        return _operator("if_exp", [node.test, _thunk(node.body), _thunk(node.orelse)], node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        arguments = argument_names(node.args)
        node.body = _Expressions(arguments[0] if arguments else None).visit(node.body)
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        if any(isinstance(item, (ast.Yield, ast.YieldFrom)) for item in _own_nodes(node)):
            return node
        return _function(node)

    def visit_ClassDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_ClassDef  # noqa: N815 - the visitor's names

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        message = [] if node.msg is None else [_thunk(node.msg)]
        if _binds_names(node):
            return node
        return _placed(ast.Expr(_operator("assert_", [node.test, *message], node)), node)


def _own_nodes(node: Any) -> list[ast.AST]:
    """Return the nodes of a function that are not of a function inside it."""
    result: list[ast.AST] = []
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        result.append(part)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(part))
    return result


class _Statements:
    """Rewrites the statements of one function body; `made` is the new body."""

    def __init__(self, arguments: ast.arguments, body: list[ast.stmt]) -> None:
        parameters = argument_names(arguments)
        self._expressions = _Expressions(parameters[0] if parameters else None)
        closures = closures_of(body)
        self._liveness, self._item_reads = Liveness(closures), ItemReads(closures)
        bound = bindings(body)
        self._changing = _changing_functions(body)
        self._globals = bound.declared
        outer = {n for item in body for n in _declared_nonlocal(item)}
        self._count = 0
        local = sorted(bound.names - set(parameters) - self._globals - outer)
        # A variable of an enclosing function outlives a call of this one.
        self._outliving = outer | self._globals
        self._item_reads.before_all(body, set(self._outliving))
        self.made = self._block(body, set(self._outliving))
        if local and self._count:
            self.made.insert(0, _binding(local, body[0]))

    def _block(self, statements: list[ast.stmt], after: set[str]) -> list[ast.stmt]:
        """Return rewritten statements; `after` are the names needed once they are done."""
        branches: list[list[ast.stmt]] = []
        for statement in reversed(statements):
            before = self._liveness.before(statement, after)
            branches.append(self._statement(statement, after, before))
            after = before
        return [item for several in reversed(branches) for item in several]

    def _statement(self, node: Any, after: set[str], before: set[str]) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            return self._if(node, after)
        if isinstance(node, ast.While):
            return self._while(node, after)
        if isinstance(node, ast.For):
            return self._for(node, after)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                item.context_expr = self._expressions.visit(item.context_expr)
            node.body = self._block(node.body, after)
            return [node]
        if isinstance(node, (ast.Try, ast.TryStar)):
            # What a handler or the final part may read is needed after any statement of the body.
            needed = before | after
            for field in ("body", "orelse", "finalbody"):
                setattr(node, field, self._block(getattr(node, field), needed))
            for handler in node.handlers:
                handler.body = self._block(handler.body, needed)
            return [node]
        if isinstance(node, ast.Match):
            node.subject = self._expressions.visit(node.subject)
            for case in node.cases:
                case.body = self._block(case.body, after)
            return [node]
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return [node]
        return [self._expressions.visit(node)]

    def _if(self, node: ast.If, after: set[str]) -> list[ast.stmt]:
        plain = _is_python(node.test)
        test = self._expressions.visit(node.test)
        if plain:
            node.test = test
            node.body, node.orelse = self._block(node.body, after), self._block(node.orelse, after)
            return [node]
        at = _head(node)
        bound = bindings([*node.body, *node.orelse])
        changed = bound.names | self._changed_by_calls(node)
        outputs = changed & (after | self._outliving)
        needed = self._liveness.before_all(node.body, after)
        needed |= self._liveness.before_all(node.orelse, after)
        inputs = sorted((changed & needed) - outputs)
        state = [*sorted(outputs), *self._composites(bound), *inputs]
        body = self._define("if_body", node.body, at, after)
        orelse = self._define("else_body", node.orelse, at, after)
        get, put = self._accessors(state, at)
        call = _operator(
            "if_",
            [
                test,
                *(name(item.name, at) for item in (body, orelse, get, put)),
                _names(state),
                *([ast.Constant(len(inputs))] if inputs else []),
            ],
            at,
        )
        return [body, orelse, get, put, _placed(ast.Expr(call), at)]

    def _while(self, node: ast.While, after: set[str]) -> list[ast.stmt]:
        at = _head(node)
        needed = self._liveness.at_loop(node, after)
        bound = bindings([*node.body, node.test])
        changed = bound.names | self._changed_by_calls(node)
        state = sorted(changed & (needed | self._outliving))
        state += self._composites(bound)
        options = self._options(node)
        test = self._test("loop_test", node.test, at)
        body = self._define("loop_body", node.body, at, needed)
        get, put = self._accessors(state, at)
        call = _operator(
            "while_",
            [*(name(item.name, at) for item in (test, body, get, put)), _names(state), *options],
            at,
        )
        return [test, body, get, put, _placed(ast.Expr(call), at)]

    def _for(self, node: Any, after: set[str]) -> list[ast.stmt]:
        at = _head(node)
        needed = self._liveness.at_loop(node, after)
        bound = bindings([*node.body, node.target])
        changed = bound.names | self._changed_by_calls(node)
        state = sorted(changed & (needed | self._outliving))
        state += self._composites(bound)
        extra = getattr(node, "extra_test", None)
        items = _placed(ast.Constant(ast.unparse(node.target)), at)
        read = _placed(ast.Constant(" ".join(sorted(self._item_reads.of(node)))), at)
        facts = [ast.keyword("iterate_names", items), ast.keyword("read_items", read)]
        options = self._options(node, facts)
        statements: list[Any] = []
        if extra is not None:
            statements.append(self._test("loop_test", extra, at))
        body = self._define("loop_body", node.body, at, needed, node.target)
        get, put = self._accessors(state, at)
        statements += [body, get, put]
        called: list[ast.expr] = [name(item.name, at) for item in statements]
        if extra is None:
            called.insert(0, _placed(ast.Constant(None), at))
        iterated = self._expressions.visit(node.iter)
        call = _operator("for_", [iterated, *called, _names(state), *options], at)
        return [*statements, _placed(ast.Expr(call), at)]

    def _changed_by_calls(self, node: ast.AST) -> set[str]:
        """Return the variables that functions defined here, and named in a statement, change."""
        if not self._changing:
            return set()
        named = [item.id for item in ast.walk(node) if isinstance(item, ast.Name)]
        return {item for item in named for item in self._changing.get(item, ())}

    def _options(self, node: Any, more: list[ast.keyword] | None = None) -> list[ast.expr]:
        """Take the calls of set_loop_options out of a loop; they are options of its staging."""
        options = [item for item in node.body if _is_option(item)]
        node.body = [item for item in node.body if not _is_option(item)] or [
            ast.copy_location(ast.Pass(), node)
        ]
        keywords = [keyword for item in options for keyword in item.value.keywords]
        keywords += more or []
        if not keywords:
            return []
        return [_thunk(_placed(ast.Call(name("dict", node), [], keywords), node))]

    # The functions that take the place of blocks.

    def _name(self, stem: str) -> str:
        self._count += 1
        return f"ag__{stem}_{self._count}"

    def _sharing(self, names: set[str], at: ast.AST) -> list[ast.stmt]:
        """Return the declarations that make names those of the function around."""
        result: list[ast.stmt] = []
        shared, declared = sorted(names - self._globals), sorted(names & self._globals)
        if shared:
            result.append(_placed(ast.Nonlocal(shared), at))
        if declared:
            result.append(_placed(ast.Global(declared), at))
        return result

    def _define(
        self, stem: str, body: list[ast.stmt], at: ast.AST, after: set[str], target: Any = None
    ) -> ast.FunctionDef:
        bound = bindings([*body, target] if target is not None else body)
        parameters: list[ast.arg] = []
        text = self._name(stem)
        inner = [part for part in body if not isinstance(part, (ast.Global, ast.Nonlocal))]
        statements = self._sharing(bound.names | bound.declared, at)
        if target is not None:
            item = f"ag__item_{self._count}"
            parameters.append(ast.arg(item))
            statements.append(_placed(ast.Assign([target], name(item, target)), target))
        statements += self._block(inner, after)
        return _defined(text, parameters, statements or [ast.Pass()], at)

    def _test(self, stem: str, test: ast.expr, at: ast.AST) -> ast.FunctionDef:
        bound = bindings([test])
        statements = self._sharing(bound.names, at)
        statements.append(_placed(ast.Return(self._expressions.visit(test)), test))
        return _defined(self._name(stem), [], statements, at)

    def _composites(self, bound: Any) -> list[str]:
        """Return the attributes and items to keep: those of objects that were there before."""
        result = []
        for text in sorted(bound.composites):
            names = {item.id for item in ast.walk(ast.parse(text)) if isinstance(item, ast.Name)}
            if not names & bound.names:
                result.append(text)
        return result

    def _accessors(self, state: list[str], at: ast.AST) -> tuple[ast.FunctionDef, ast.FunctionDef]:
        """Return the functions that give and replace what a statement changes."""
        thunks = [_thunk(_placed(ast.parse(item, mode="eval").body, at)) for item in state]
        get = _defined(
            self._name("get_state"),
            [],
            [ast.Return(_operator("state", list(thunks), at))],
            at,
        )
        values = [f"ag__value_{index}" for index in range(len(state))]
        statements = self._sharing({item for item in state if item.isidentifier()}, at)
        if state:
            targets = ast.Tuple([ast.Name(item, ast.Store()) for item in values], ast.Store())
            statements.append(ast.Assign([targets], ast.Name("ag__values", ast.Load())))
        for text, value in zip(state, values, strict=True):
            statements.append(ast.parse(_REPLACING.format(text=text, value=value)).body[0])
        for statement_made in statements:
            for part in ast.walk(statement_made):
                ast.copy_location(part, at)
        put = _defined(
            self._name("set_state"), [ast.arg("ag__values")], statements or [ast.Pass()], at
        )
        return get, put


_REPLACING = """
if {value} is not ag__.undefined:
    {text} = {value}
else:
    try:
        del {text}
    except (NameError, AttributeError, LookupError):
        pass
"""


def _defined(text: str, parameters: list[ast.arg], body: list[Any], at: ast.AST) -> ast.FunctionDef:
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    function_def = ast.FunctionDef(text, arguments, body, [])
    function_def.type_params = []  # type: ignore[attr-defined]  # a field from Python 3.12 on
    return _placed(function_def, at)


def _is_option(statement: ast.stmt) -> bool:
    call = getattr(statement, "value", None)
    if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call) or call.args:
        return False
    called = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
    return called == "set_loop_options"


def _names(state: list[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(item) for item in state], ast.Load())


def _changing_functions(body: list[ast.stmt]) -> dict[str, set[str]]:
    """Return, for the functions defined in a body, the variables around them that they change."""
    result: dict[str, set[str]] = {}
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, ast.FunctionDef):
                names = {name for inner in part.body for name in _declared_nonlocal(inner)}
                if names:
                    result[part.name] = names
    return result


def _declared_nonlocal(statement: ast.stmt) -> list[str]:
    pending: list[ast.AST] = [statement]
    result: list[str] = []
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Nonlocal):
            result += part.names
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(part))
    return result


def _binding(names: list[str], at: ast.AST) -> ast.stmt:
    """Return a statement that never runs and makes names variables of its function."""
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    inner = ast.Assign(targets, ast.Constant(None))
    return _placed(ast.If(ast.Constant(False), [inner], []), at)
