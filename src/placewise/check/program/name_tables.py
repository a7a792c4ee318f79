"""Which names there are below `tensorflow`, read from the tables without importing them.

Tables are stubs or plain modules of `placewise.api`, and those of Keras's own public folder. A name
that is a function or class ends the walk: what is below it is not looked at.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
from pathlib import Path
from typing import NamedTuple

import placewise
from placewise.core.namespace import nearest, read_table
from placewise.tensorflow.modules import ELSEWHERE, PACKAGES, SAME, usual_spelling

_PACKAGE = Path(placewise.__file__).parent
_KERAS = "keras._tf_keras.keras"
# Namespaces whose names are made on first use, and the modules that say which they are.
_BORROWED = {
    "placewise.api.v2.keras": _KERAS,
    "placewise.api.v2.metrics": f"{_KERAS}.metrics",
    "placewise.api.v2.losses": f"{_KERAS}.losses",
    "placewise.api.v2.initializers": f"{_KERAS}.initializers",
    "placewise.api.v2.optimizers": f"{_KERAS}.optimizers",
}
_ROOT = {True: "placewise.api.v1", False: "placewise"}


class Missing(NamedTuple):
    """A name that is not there: where the walk ended, and the nearest name in that place."""

    parent: str
    name: str
    close: str


@functools.cache
def _file(module: str) -> Path | None:
    """Return the file of a module of placewise or Keras, a stub before code."""
    parts = module.split(".")
    if parts[0] == "placewise":
        folder = _PACKAGE
    else:
        spec = importlib.util.find_spec(parts[0])
        if spec is None or spec.origin is None:
            return None
        folder = Path(spec.origin).parent
    inner = folder.joinpath(*parts[1:])
    candidates = [inner / "__init__.pyi", inner / "__init__.py", inner.parent / f"{inner.name}.py"]
    return next((path for path in candidates if path.is_file()), None)


@functools.cache
def members(module: str) -> dict[str, str] | None:
    """Return name → the module it is (empty for anything else); None if all names are possible."""
    home = _BORROWED.get(module, module)
    path = _file(home)
    if path is None:
        return None
    names = _read(path, home)
    if names is None:
        return None
    if home != module:
        names |= _read(_file(module) or path, module, is_own=True) or {}
    return names


def _read(path: Path, module: str, is_own: bool = False) -> dict[str, str] | None:
    if path.suffix == ".pyi":
        table = {name: _as_module(*source) for name, source in read_table(path).items()}
        code = path.with_suffix(".py")
        extra = _read_code(code, module) if code.is_file() else {}
        return {**(extra or {}), **table, **_beside(path, module)}
    names = _read_code(path, module)
    if not is_own and "__getattr__" in names:
        return None
    return {**names, **(_beside(path, module) if path.name == "__init__.py" else {})}


def _beside(path: Path, module: str) -> dict[str, str]:
    """Return the modules that lie in a package's folder, if the package is a public one."""
    if not module.startswith(("placewise.api", _KERAS)):
        return {}
    inner = [entry.stem for entry in path.parent.iterdir() if not entry.name.startswith("__")]
    return {name: f"{module}.{name}" for name in inner if _file(f"{module}.{name}")}


def _read_code(path: Path, module: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for item in node.names:
                names[item.asname or item.name] = _as_module(node.module or "", item.name)
        elif isinstance(node, ast.Import):
            for item in node.names:
                names[item.asname or item.name.partition(".")[0]] = item.name if item.asname else ""
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] = ""
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, "")
    return names


def _as_module(source: str, name: str) -> str:
    """Return the module that a name of a table is; empty for a function, class or value."""
    full = f"{source}.{name}"
    if full.startswith(("placewise.", _KERAS)):
        return full if _file(full) else ""
    return ""


def find_missing(path: str, *, is_tf1: bool) -> Missing | None:
    """Return what of a path below `tensorflow` is not there; None if all of it is."""
    parts = path.split(".")
    if parts[0] in ("python", "core", "compiler", "examples", "_api", "__internal__"):
        return _find_private(path)
    module = _ROOT[is_tf1]
    for place, name in enumerate(parts):
        here = ".".join(parts[:place])
        if (here, name) in _REDIRECTED:
            module = _REDIRECTED[here, name]
            continue
        names = members(module)
        if names is None or name.startswith("__"):
            return None
        if name not in names:
            if here.startswith("contrib") and _find_private(path) is None:
                return None
            return Missing(here, name, nearest(name, sorted(names)))
        if not names[name]:
            return None
        module = names[name]
    return None


# Not names of a table: modules by which one TensorFlow has the other.
_REDIRECTED = {
    ("compat", "v1"): "placewise.api.v1",
    ("compat", "v2"): "placewise",
    ("compat.v1.compat", "v1"): "placewise.api.v1",
    ("compat.v1.compat", "v2"): "placewise",
}


def _find_private(path: str) -> Missing | None:
    """Return what is missing of an inner name; inside a module that is there all is accepted."""
    from placewise.tensorflow import hook, private_modules  # noqa: PLC0415 - seldom needed, slow

    full = usual_spelling(f"tensorflow.{path}")
    known = {
        *SAME,
        *PACKAGES,
        *private_modules.places(),
        *private_modules.packages(),
        *hook.message_modules(),
        *hook.message_packages(),
    }
    packages = PACKAGES | private_modules.packages() | hook.message_packages()
    parts = full.split(".")
    for end in range(2, len(parts) + 1):
        here = ".".join(parts[:end])
        if here.startswith("tensorflow.python.keras"):
            return None
        if here in known and here not in packages:
            return None
        if here not in known:
            parent = ".".join(parts[1 : end - 1])
            below = {
                name[len(parent) + 12 :].partition(".")[0]
                for name in known
                if name.startswith(f"tensorflow.{parent}.")
            }
            return Missing(parent, parts[end - 1], nearest(parts[end - 1], sorted(below)))
    return None


def say_why(path: str, *, is_tf1: bool) -> str:
    """Return why placewise does not have a namespace, where there is a reason to tell."""
    full = f"tensorflow.{path}."
    why = next((why for name, why in ELSEWHERE.items() if full.startswith(f"{name}.")), "")
    # Of a program of TensorFlow 1 it need not be said where its names are.
    return "" if is_tf1 and "--tf1" in why else why
