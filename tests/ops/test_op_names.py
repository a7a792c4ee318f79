"""No file keeps a list of ops that are declared elsewhere: what is known of an op stands on it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import placewise
from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_everything

SOURCE = Path(placewise.__file__).parent
WORD = re.compile(r"""["'\s]([A-Z]\w+)(?=["']|\s+[A-Z])""")  # in quotes, or among others
FEW = 2  # names that a file may use; more are a list
# Files, or folders, that name ops for another reason.
PERMITTED = {
    "check/samples": "sample calls of each op, by its name",
    "planning/rules": "patterns: a rule names the chain of ops that it matches",
    "planning/lowering/identities.py": "patterns: a product with 1, a sum of one number",
    "graph/function_defs.py": "nodes that a GraphDef is written with",
    "graph/node_spellings.py": "nodes of GraphDefs under TensorFlow's other names for an op",
    "data/node_attributes.py": "attributes that nodes of GraphDefs have and ops here do without",
    "functions/vectorization": "rules: each names the op that it does for all rows",
    "profiler/model": "what TensorFlow's profiler counts, op by op",
    "saving/graph_optimization.py": "nodes of a GraphDef",
    "lite/lowering": "rules: each names the op that it writes for TensorFlow Lite",
    "lite/frozen_graph.py": "nodes of a GraphDef",
    "saving/frozen_graphs.py": "nodes of a GraphDef, which may hold ops that are not declared here",
    "ops/attribute_limits.py": "limits of TensorFlow's registry, by attribute; raw ops read them",
    "training/device_setter.py": "TensorFlow's default of an argument, which is a list of names",
    "contrib/layers/convolutions.py": "names of scopes, which happen to be those of ops",
    "contrib/quantize": "patterns: layers, and what stands behind them in graphs",
    "contrib/slim/nets/inception.py": "names of scopes, which happen to be those of ops",
}
# Where ops are declared, a name that a call is given is most often that of the op itself.
DECLARING = ("ops", "data", "distribute")


def names_in(path: Path) -> set[str]:
    """Return the names of ops in a file's strings, apart from those that it declares."""
    text = path.read_text()
    if len(REGISTRY.keys() & WORD.findall(text)) <= FEW:  # parsing takes long
        return set()
    is_declaring = path.relative_to(SOURCE).parts[0] in DECLARING
    texts: list[ast.Constant] = []
    skipped: set[ast.AST] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node)
        elif isinstance(node, ast.Expr):  # a docstring
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
        elif isinstance(node, ast.Call) and is_declaring:
            skipped.update(node.args)
    signatures = [str(node.value) for node in texts if is_declaring and "(" in str(node.value)]
    lists = [str(node.value).split() for node in texts if node not in skipped]
    names = {word for words in lists if all(word in REGISTRY for word in words) for word in words}
    return names - {signature.partition("(")[0] for signature in signatures}


def is_permitted(path: Path) -> bool:
    name = path.relative_to(SOURCE).as_posix()
    return any(name == entry or name.startswith(f"{entry}/") for entry in PERMITTED)


def test_no_file_lists_ops_that_are_declared_elsewhere() -> None:
    load_everything()
    lists = {
        path.relative_to(SOURCE).as_posix(): sorted(names)
        for path in sorted(SOURCE.rglob("*.py"))
        if not is_permitted(path) and len(names := names_in(path)) > FEW
    }
    assert not lists, f"state it on the op instead (ops/facts.py): {lists}"


def test_what_is_permitted_exists() -> None:
    assert all((SOURCE / entry).exists() for entry in PERMITTED)
