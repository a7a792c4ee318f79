"""Public namespaces as tables of names, resolved on first use.

The stub beside a module (`__init__.pyi`, `v1.pyi`) is its table: one line a name,
`from placewise.ops.linalg.matmul import matmul as matmul`. Editors read the stub; `attach` reads
the same lines to answer `__getattr__` and `__dir__`, so that importing a namespace loads nothing.
"""

from __future__ import annotations

import difflib
import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from placewise.core.era import note_tf2

# Namespaces that the root of TensorFlow 2 does not list, and that of TensorFlow 1 does.
_ONLY_OLDER = ("contrib", "estimator")
_LINE = re.compile(r"^from (placewise[\w.]*) import (\w+)(?: as (\w+))?", re.MULTILINE)


def read_table(stub: Path) -> dict[str, tuple[str, str]]:
    """Return name → (module, name there) for every line of a stub."""
    return {
        public or name: (module, name)
        for module, name, public in _LINE.findall(stub.read_text(encoding="utf-8"))
    }


def nearest(name: str, names: list[str]) -> str:
    """Return the closest of `names` to `name`, or an empty string."""
    folded = {known.lower(): known for known in reversed(names)}
    close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.7)
    return folded[close[0]] if close else ""


def missing(module: str, name: str, names: list[str]) -> str:
    """Return what to say when `module` has no `name`: the nearest name, and where to look."""
    said = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):
        return said
    if close := nearest(name, names):
        said += f"; did you mean {close!r}?"
    return said + "; what there is, is listed in docs/coverage.md"


class _Tf1Names:
    """Whether names that only TensorFlow 1 has are found in TensorFlow 2's namespaces too."""

    on = False


TF1_NAMES = _Tf1Names()


def _tf1_name(module: str, name: str) -> Any:
    """Return what TensorFlow 1 calls `name` in the namespace that `module` is; or None."""
    if not TF1_NAMES.on or name.startswith("_") or module.startswith("placewise.compat"):
        return None
    below = module.removeprefix("placewise").removeprefix(".")
    try:
        home = importlib.import_module(f"placewise.compat.v1.{below}".rstrip("."))
    except ImportError:
        return None
    return getattr(home, name, None)


def explain(module: ModuleType) -> None:
    """Have a plain module of names, and those below it, say what is near a name it has not."""
    space = vars(module)
    if "__getattr__" in space:
        return

    def __getattr__(name: str) -> Any:  # noqa: N807 - the module protocol's own name
        if (old := _tf1_name(module.__name__, name)) is not None:
            return old
        known = [] if name.startswith("_") else [own for own in space if own[0] != "_"]
        # With a name set, Python adds no second suggestion of its own.
        raise AttributeError(missing(module.__name__, name, known), name=name)

    space["__getattr__"] = __getattr__
    for value in list(space.values()):
        if isinstance(value, ModuleType) and value.__name__.startswith(module.__name__ + "."):
            explain(value)


class _Namespace(ModuleType):
    """A namespace that has its own modules explain themselves, whoever imports them first."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in vars(self).get("__all__", ()):
            explain(value)
        super().__setattr__(name, value)


def attach(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module whose table is its stub."""
    table = read_table(Path(file).with_suffix(".pyi"))
    names = sorted(table)
    sys.modules[module].__class__ = _Namespace
    package = module if Path(file).stem == "__init__" else module.rpartition(".")[0]

    def __getattr__(name: str) -> Any:  # noqa: N807 - the module protocol's own name
        if module == "placewise":
            note_tf2()
        try:
            source, original = table[name]
        except KeyError:
            if (old := _tf1_name(module, name)) is not None:
                return old
            raise AttributeError(missing(module, name, names), name=name) from None
        if source == package or (source == "placewise" and original in _ONLY_OLDER):
            # `from placewise import nn as nn` names a module of its own.
            value = importlib.import_module(f"{source}.{original}")
        else:
            home = importlib.import_module(source)
            try:
                value = getattr(home, original)
            except AttributeError:
                # A module of a namespace that does not list it, and nobody has loaded yet.
                value = importlib.import_module(f"{source}.{original}")
        setattr(sys.modules[module], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 - the module protocol's own name
        return sorted({*vars(sys.modules[module]), *names})

    return __getattr__, __dir__, names


def borrow(module: str, owner: Callable[[], Any]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return `__getattr__` and `__dir__` of a namespace whose names are all another's."""

    def __getattr__(name: str) -> Any:  # noqa: N807 - the module protocol's own name
        if name.startswith("__"):
            raise AttributeError(name)
        source = owner()
        try:
            return getattr(source, name)
        except AttributeError:
            if (old := _tf1_name(module, name)) is not None:
                return old
        raise AttributeError(missing(module, name, dir(source)), name=name)

    return __getattr__, lambda: sorted(dir(owner()))
