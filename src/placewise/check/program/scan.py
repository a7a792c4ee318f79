"""What the names of a file mean: which are TensorFlow's, and what stands under a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import placewise
from placewise.check.program.source import Source

# Programs know placewise by these names; what follows is a path below `tensorflow`.
_ROOTS = {
    "tensorflow": "",
    "tensorflow_core": "",
    "placewise": "",
    "placewise.v1": "compat.v1",
}
_PACKAGE = Path(placewise.__file__).parent
_FORGIVING = frozenset(
    [
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "Exception",
        "BaseException",
        "NameError",
    ]
)
_VERSION_WORDS = (
    "version",
    "hasattr",
    "getattr",
    "tf2",
    "tf1",
    "v2_behavior",
    "eager",
    "py2",
    "py3",
)


class Use(NamedTuple):
    """A name below `tensorflow` that a file uses."""

    path: str
    node: ast.AST
    line: int
    is_import: bool = False


@dataclass
class Scan:
    """A file, its names for TensorFlow, and the uses of them.

    `aliases` has name → path below `tensorflow` ("" for tensorflow itself). A name that is bound to
    something else anywhere in the file is left out: nothing is said about it.
    """

    source: Source
    aliases: dict[str, str] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)

    def path_of(self, node: ast.AST) -> str | None:
        """Return the path below `tensorflow` that an expression such as `tf.nn.relu` is."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return None
        return ".".join([self.aliases[node.id], *reversed(parts)]).strip(".")

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Yield (path, call) for every call of a name below `tensorflow`."""
        for node in self.source.nodes:
            if isinstance(node, ast.Call) and (path := self.path_of(node.func)):
                yield path, node

    def is_conditional(self, node: ast.AST) -> bool:
        """Return whether a failure at `node` is foreseen: `try`, or a question about versions."""
        for outer, inner in self.source.around(node):
            if isinstance(outer, ast.Try) and any(map(_is_forgiving, outer.handlers)):
                return inner in [*outer.body, *outer.handlers] or self.is_conditional(outer)
            if _is_branch(outer, inner, _VERSION_WORDS):
                return True
        return False

    def is_under(self, node: ast.AST, words: tuple[str, ...]) -> bool:
        """Return whether `node` runs only if a test that mentions one of the words says so."""
        for outer, inner in self.source.around(node):
            if isinstance(outer, ast.Try) and inner in outer.body and outer.handlers:
                return True
            if _is_branch(outer, inner, words):
                return True
            # A loop over what the program has asked for; one over names that it lists is none.
            if isinstance(outer, ast.For) and not isinstance(outer.iter, ast.List | ast.Tuple):
                return _mentions(outer.iter, words) or self.is_under(outer, words)
        return False


def _is_forgiving(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [
        kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in kinds
    ]
    return bool(_FORGIVING.intersection(names))


def _is_branch(outer: ast.AST, inner: ast.AST, words: tuple[str, ...]) -> bool:
    return (
        isinstance(outer, ast.If | ast.IfExp)
        and inner is not outer.test
        and _mentions(outer.test, words)
    )


def _mentions(test: ast.AST, words: tuple[str, ...]) -> bool:
    return any(word in ast.unparse(test).lower() for word in words)


def scan(source: Source) -> Scan:
    """Return what the names of a file mean."""
    result = Scan(source)
    for node in source.nodes:
        if isinstance(node, ast.Import):
            _note_import(result, node)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            _note_import_from(result, node)
    for _ in range(2):  # an alias of an alias
        for node in source.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
                _note_assignment(result, node)
    for name in _bound_otherwise(result):
        result.aliases.pop(name, None)
    inner = {
        child.value for child in source.nodes if isinstance(child, ast.Attribute)
    }  # `tf.nn` inside `tf.nn.relu` is no use of its own
    for node in source.nodes:
        if not isinstance(node, ast.Attribute) or node in inner:
            continue
        if isinstance(node.ctx, ast.Load) and (path := result.path_of(node)):
            result.uses.append(Use(path, node, node.lineno))
    return result


def _below(module: str) -> str | None:
    """Return the path of a module below `tensorflow`; None if it is another's."""
    if _is_implementation(module):
        return None
    for root in sorted(_ROOTS, key=len, reverse=True):
        if module == root or module.startswith(root + "."):
            return f"{_ROOTS[root]}.{module[len(root) + 1 :]}".strip(".")
    return None


def _is_implementation(module: str) -> bool:
    """Return whether this is a module inside placewise, and no public name."""
    root, _, rest = module.partition(".")
    inner = _PACKAGE.joinpath(*rest.split("."))
    if root != "placewise" or not rest or rest == "v1":
        return False
    return inner.is_dir() or inner.with_name(f"{inner.name}.py").is_file()


def _note_import(result: Scan, node: ast.Import) -> None:
    for item in node.names:
        path = _below(item.name)
        if path is None:
            continue
        if path:
            result.uses.append(Use(path, node, node.lineno, is_import=True))
        name = item.asname or item.name.partition(".")[0]
        whole = path if item.asname else (_below(name) or "")
        # Of two imports under one name, the one of compat.v1 holds in both TensorFlows.
        if not result.aliases.get(name, "").startswith("compat."):
            result.aliases[name] = whole


def _note_import_from(result: Scan, node: ast.ImportFrom) -> None:
    below = _below(node.module or "")
    if below is None:
        return
    for item in node.names:
        if item.name == "*" or (node.module == "placewise" and item.name == "v1"):
            continue
        if _is_implementation(f"{node.module}.{item.name}"):
            continue
        path = f"{below}.{item.name}".strip(".")
        result.uses.append(Use(path, node, node.lineno, is_import=True))
        result.aliases[item.asname or item.name] = path


def _note_assignment(result: Scan, node: ast.Assign) -> None:
    path = result.path_of(node.value)
    target = node.targets[0]
    if path is None or len(node.targets) != 1 or not isinstance(target, ast.Name):
        return
    last = path.rpartition(".")[2]
    # Namespaces are in lower case; a variable that holds a function or class is no namespace.
    if last.islower() and (target.id not in result.aliases or path.startswith("compat.")):
        result.aliases[target.id] = path


def _bound_otherwise(result: Scan) -> set[str]:
    """Return names that mean TensorFlow in one place and something else in another."""
    names: set[str] = set()
    for node in result.source.nodes:
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            parent = result.source.parents.get(node)
            if not (isinstance(parent, ast.Assign) and result.path_of(parent.value) is not None):
                names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            for item in node.names:
                whole = item.name if isinstance(node, ast.Import) else module
                if _below(whole) is None or (isinstance(node, ast.ImportFrom) and node.level):
                    names.add(item.asname or item.name.partition(".")[0])
    return names & result.aliases.keys()
