"""Public namespaces list public names only, whatever the program has called."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import placewise as tf
from placewise import api
from placewise.core.namespace import public_name, table_module

TABLES = sorted(module.name for module in pkgutil.walk_packages(api.__path__, "placewise.api."))


@pytest.mark.parametrize("name", TABLES)
def test_a_namespace_lists_no_module_of_the_implementation(name: str) -> None:
    module = importlib.import_module(name)
    for entry in dir(module):
        value = None if entry.startswith("_") else vars(module).get(entry)
        if isinstance(value, ModuleType) and value.__name__.startswith("placewise."):
            listed = getattr(module, "__all__", None)
            assert listed is None or entry in listed, f"{name}.{entry} is {value.__name__}"


@pytest.mark.parametrize("path", sorted(Path(api.__file__).parent.rglob("*.py")), ids=str)
def test_a_table_imports_public_names_only(path: Path) -> None:
    """`from x import y as y` is a line of the table; what it needs itself is called `_y`."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    definitions = [node for node in body if isinstance(node, ast.Assign | ast.FunctionDef)]
    if any("__dir__" in ast.unparse(node) for node in definitions):
        return  # it lists the names of another module, and none of its own
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias for node in imports for alias in node.names]
    assert [ast.unparse(alias) for alias in names if alias.asname is None] == []


def test_the_names_of_tf_data_stay_those_of_the_table() -> None:
    program = (
        "import placewise as tf, placewise.data.dataset, placewise.summary.records\n"
        "next(iter(tf.data.Dataset.range(3).batch(2).prefetch(1)))\n"
        "tf.summary.create_noop_writer()\n"
        "print('dataset' in dir(tf.data), 'records' in dir(tf.summary))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False False\n", done.stderr


def test_a_namespace_is_imported_by_its_public_name() -> None:
    assert importlib.import_module("placewise.nn") is tf.nn
    assert importlib.import_module("placewise.compat.v1.nn") is tf.compat.v1.nn
    assert importlib.import_module("placewise.data").Dataset is tf.data.Dataset


@pytest.mark.parametrize("public", ["placewise.nn", "placewise.compat.v1", "placewise.contrib.rnn"])
def test_public_names_lead_to_tables_and_back(public: str) -> None:
    assert public_name(table_module(public)) == public


def test_an_unknown_module_is_missing_as_usual() -> None:
    with pytest.raises(ModuleNotFoundError, match="nonsense"):
        importlib.import_module("placewise.nonsense")
