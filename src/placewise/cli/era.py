"""Which TensorFlow a program was written for, told from the names it uses.

A name that only TensorFlow 1 has (`tf.Session`, `tf.placeholder`) makes it a program of that era.
Looks at the script and at the modules beside it that it imports; runs nothing.
"""

from __future__ import annotations

import ast
from pathlib import Path

from placewise.core.namespace import read_table

# Namespaces that TensorFlow 2 has too, though placewise has only the older ones so far.
_BOTH = frozenset({"initializers", "losses", "metrics"})

_ROOT = Path(__file__).resolve().parent.parent


def is_tensorflow_1(path: str) -> bool:
    """Return True if the program in a file uses names that only TensorFlow 1 has."""
    old = set(read_table(_ROOT / "compat" / "v1" / "__init__.pyi"))
    new = set(read_table(_ROOT / "__init__.pyi"))
    return bool(_names(Path(path), set()) & (old - new - _BOTH))


def _names(path: Path, seen: set[Path]) -> set[str]:
    """Return the names right below `tensorflow` that a file and its neighbours use."""
    if path in seen or not path.is_file():
        return set()
    seen.add(path)
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return set()
    aliases: set[str] = set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name == "tensorflow":
                    aliases.add(item.asname or item.name)
                elif not item.name.startswith("tensorflow."):
                    found |= _neighbour(path, item.name, seen)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module == "tensorflow":
                found |= {item.name for item in node.names}
            else:
                found |= _neighbour(path, node.module, seen)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if node.value.id in aliases:
            found.add(node.attr)
    return found


def _neighbour(path: Path, module: str, seen: set[Path]) -> set[str]:
    inner = path.parent.joinpath(*module.split("."))
    return _names(inner.with_suffix(".py"), seen) | _names(inner / "__init__.py", seen)
