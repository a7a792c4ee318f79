"""Rules about the modules that a program imports: not installed, or of Python 2."""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts
from placewise.check.program.scan import Scan

_MODULES_2 = {
    "cPickle": "pickle",
    "ConfigParser": "configparser",
    "Queue": "queue",
    "StringIO": "io",
    "urllib2": "urllib.request",
    "cStringIO": "io",
    "Tkinter": "tkinter",
}
_PACKAGES = {
    "cv2": "opencv-python",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
}


def missing_modules(facts: ProgramFacts) -> Iterator[Finding]:
    """An import of a module that is not installed and not the program's own."""
    if any(_changes_search_path(scan) for scan in facts.scans):
        return
    for scan in facts.scans:
        for node in scan.source.nodes:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if isinstance(node, ast.ImportFrom) and node.level:
                continue
            if scan.is_conditional(node):
                continue
            names = (
                [item.name for item in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
            )
            for name in {name.partition(".")[0] for name in names}:
                if not _is_here(name, facts.local_modules):
                    yield _no_module(name, node, scan)


def _changes_search_path(scan: Scan) -> bool:
    """Return whether the program says itself where modules are: `sys.path.append(…)`."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and getattr(node.value, "id", "") == "sys"
        for node in scan.source.nodes
    )


@functools.cache
def _is_installed(name: str) -> bool:
    if name in sys.stdlib_module_names or name in sys.builtin_module_names:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return True  # loaded in an unusual way: nothing to say


def _is_here(name: str, local: frozenset[str]) -> bool:
    return (
        not name
        or name in ("tensorflow", "tensorflow_core", "placewise", "__main__", "__future__")
        or name in local
        or _is_installed(name)
    )


def _no_module(name: str, node: ast.stmt, scan: Scan) -> Finding:
    in_function = any(
        isinstance(outer, ast.FunctionDef | ast.Lambda) for outer, _ in scan.source.around(node)
    )
    if name in _MODULES_2:
        what = f"The module {name} is one of Python 2."
        fix = f"import {_MODULES_2[name]}"
    else:
        what = f"The module {name} is not installed, and not beside the program."
        fix = f"pip install {_PACKAGES.get(name, name.replace('_', '-'))}"
    return Finding(
        "module-missing",
        "warning" if in_function else "error",
        what,
        "The program stops at this import" + (" when it gets there." if in_function else "."),
        fix,
        scan.source.where(node.lineno),
    )


RULES = (missing_modules,)
