"""Imports inside functions name things that exist: nothing else would notice until they run."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import placewise

ROOT = Path(placewise.__file__).parent


def late_imports(path: Path):
    """Yield (module, name, line) for every `from placewise… import name` inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("placewise"):
                for item in inner.names:
                    yield inner.module, item.name, inner.lineno


FOLDERS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "_")


@pytest.mark.parametrize("folder", FOLDERS)
def test_late_imports_of_a_folder_exist(folder):
    missing = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for module, name, line in late_imports(path):
            found = importlib.import_module(module)
            if not hasattr(found, name) and name not in _modules_of(found):
                missing.append(f"{path.relative_to(ROOT)}:{line}: {module}.{name}")
    assert not missing


def _modules_of(package):
    return {each.name for each in pkgutil.iter_modules(getattr(package, "__path__", []))}
