"""Public namespaces as tables of names, resolved on first use.

The tables are in `placewise.api`; programs see them as `placewise.nn`, `placewise.compat.v1.nn`.
The stub beside a module (`__init__.pyi`) is its table: one line a name,
`from placewise.ops.linalg.matmul import matmul as matmul`. Editors read the stub; `attach` reads
the same lines to answer `__getattr__` and `__dir__`, so that importing a namespace loads nothing.
"""

from __future__ import annotations

import difflib
import importlib
import re
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from placewise.core.era import note_tf2
from placewise.core.runtime import State, runtime

# Where the public modules of a name are: the longest beginning that fits says.
_PUBLIC = {
    "placewise.compat.v1": "placewise.api.v1",
    "placewise.contrib": "placewise.api.contrib",
    "placewise.estimator": "placewise.api.estimator",
    "placewise": "placewise.api.v2",
}
# Names that a program for either TensorFlow calls first: they do not say which one it is for.
_OF_BOTH_ERAS = ("install_as_tensorflow", "simulate", "pytest_plugins")
# What programs use instead of namespaces that there are none of.
LEFT_OUT = {
    "placewise.data.experimental.service": "placewise has no tf.data service (no dispatcher, no "
    "workers). Read in the training processes: dataset.shard(num_workers, index) gives each its "
    "part, num_parallel_calls and prefetch use its processors",
}
_LINE = re.compile(r"^from (placewise[\w.]*) import (\w+)(?: as (\w+))?", re.MULTILINE)


def table_module(public: str) -> str:
    """Return the module that holds a public namespace.

    >>> table_module("placewise.nn"), table_module("placewise.compat.v1.nn")
    ('placewise.api.v2.nn', 'placewise.api.v1.nn')
    """
    beginning = next(known for known in _PUBLIC if f"{public}.".startswith(f"{known}."))
    return _PUBLIC[beginning] + public[len(beginning) :]


def public_name(module: str) -> str:
    """Return the name by which programs know a module of `placewise.api`.

    >>> public_name("placewise.api.v2.nn"), public_name("placewise.v1")
    ('placewise.nn', 'placewise.v1')
    """
    for public, home in _PUBLIC.items():
        if f"{module}.".startswith(f"{home}."):
            return public + module[len(home) :]
    return module


def public_names(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a folder of the implementation that a namespace is named after.

    So `from placewise.data import Dataset` works, although `tf.data` is `placewise.api.v2.data`.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - the module protocol's own name
        if name.startswith("__") or _has_submodule(sys.modules[package], name):
            raise AttributeError(name)  # import loads the file of that name then
        return getattr(importlib.import_module(table_module(package)), name)

    return __getattr__


class AliasLoader(Loader):
    """Gives an existing module under another name."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module itself."""
        module = importlib.import_module(self.target)
        self.spec = module.__spec__
        if self.target.partition(".")[0] == "placewise":
            explain(module)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing, as it ran under its own name; put back the spec that import replaced."""
        module.__spec__ = self.spec


class _PublicFinder(MetaPathFinder):
    """Finds `placewise.nn`, which is `placewise.api.v2.nn`, when there is no such file."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("placewise.") or fullname.startswith("placewise.api"):
            return None
        home = table_module(fullname)
        package, _, name = home.rpartition(".")
        try:
            parent = importlib.import_module(package)
        except ImportError:
            return None
        if not _has_submodule(parent, name):
            return None
        return ModuleSpec(fullname, AliasLoader(home), is_package=True)


class _AliasFinder(MetaPathFinder):
    """Finds what is below `placewise.compat.v1`, which is `placewise.api.v1`, under both names.

    Comes before Python's own search, which would load the same file a second time.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("placewise."):
            return None
        parent_name, _, name = fullname.rpartition(".")
        parent = sys.modules[parent_name]
        if parent.__name__ == parent_name or not _has_submodule(parent, name):
            return None
        return ModuleSpec(fullname, AliasLoader(f"{parent.__name__}.{name}"), is_package=True)


def _has_submodule(package: ModuleType, name: str) -> bool:
    path = getattr(package, "__path__", None)
    return path is not None and PathFinder.find_spec(f"{package.__name__}.{name}", path) is not None


def install_finder() -> None:
    """Let `import placewise.nn` find the table of that name."""
    sys.meta_path.insert(0, _AliasFinder())
    sys.meta_path.append(_PublicFinder())


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
    said = f"module {public_name(module)!r} has no attribute {name!r}"
    if name.startswith("_"):
        return said
    if old := _tf1_path(module, name):
        return (
            f"{said}: it is a name of TensorFlow 1. It is there as tf.{old}; a whole program for "
            "TensorFlow 1 runs with `placewise run --tf1`, or `import placewise.v1 as tf`"
        )
    if advice := LEFT_OUT.get(f"{public_name(module)}.{name}"):
        return f"{said}: {advice}"
    if close := nearest(name, names):
        said += f"; did you mean {close!r}?"
    return said + "; what there is, is listed in docs/coverage.md"


def _tf1_path(module: str, name: str) -> str:
    """Return where TensorFlow 1's namespace has a name that TensorFlow 2's lacks, or nothing."""
    if module.startswith(("placewise.api.v1", "placewise.v1", "placewise.messages")):
        return ""
    below = public_name(module).removeprefix("placewise").removeprefix(".")
    if below.startswith("compat"):
        return ""
    stub = Path(__file__).parents[1] / "api" / "v1" / below.replace(".", "/")
    for table in (stub / "__init__.pyi", stub / "__init__.py", stub.with_suffix(".py")):
        if table.is_file() and name in read_table(table):
            return ".".join(part for part in ("compat.v1", below, name) if part)
    return ""


class _Tf1Names(State):
    """Whether names that only TensorFlow 1 has are found in TensorFlow 2's namespaces too."""

    on: bool = False


TF1_NAMES = runtime.state(_Tf1Names)


def _tf1_name(module: str, name: str) -> Any:
    """Return what TensorFlow 1 calls `name` in the namespace that `module` is; or None."""
    if not TF1_NAMES.on or name.startswith("_") or module.startswith("placewise.api.v1"):
        return None
    below = public_name(module).removeprefix("placewise").removeprefix(".")
    try:
        home = importlib.import_module(f"placewise.api.v1.{below}".rstrip("."))
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
    """A namespace that has its own modules explain themselves, whoever imports them first.

    Importing `placewise.data.dataset` sets `placewise.data` to that folder of the implementation.
    The name stays the one of the table.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            source = vars(self).get("__table__", {}).get(name)
            if source is not None:
                if value.__name__.startswith("placewise.") and value.__name__ != ".".join(source):
                    return
                explain(value)
        super().__setattr__(name, value)

    def __reduce__(self) -> Any:
        # Ray and others send functions with the modules they use: those go by name.
        return importlib.import_module, (self.__name__,)


def attach(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module whose table is its stub."""
    table = read_table(Path(file).with_suffix(".pyi"))
    names = sorted(table)
    sys.modules[module].__class__ = _Namespace
    vars(sys.modules[module])["__table__"] = table

    def __getattr__(name: str) -> Any:  # noqa: N807 - the module protocol's own name
        if module == "placewise" and name not in _OF_BOTH_ERAS:
            note_tf2()
        if name == "pytest_plugins":
            # Asked by `pytest -p placewise`, which would look at every name for fixtures.
            raise importlib.import_module("pytest").UsageError(
                f"{module} itself is no plug-in of pytest: use `-p placewise.pytest_plugin`"
            )
        try:
            source, original = table[name]
        except KeyError:
            if (old := _tf1_name(module, name)) is not None:
                return old
            raise AttributeError(missing(module, name, names), name=name) from None
        home = importlib.import_module(source)
        if original not in vars(home) and _has_submodule(home, original):
            # `from placewise.api.v2 import nn as nn` names a module, which nobody has loaded yet.
            value: Any = importlib.import_module(f"{source}.{original}")
        else:
            value = getattr(home, original)
        setattr(sys.modules[module], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 - the module protocol's own name
        own = [name for name in vars(sys.modules[module]) if name.startswith("__")]
        return sorted({*own, *names})

    return __getattr__, __dir__, names


def borrow(
    module: str, owner: Callable[[], Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
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

    def __dir__() -> list[str]:  # noqa: N807 - the module protocol's own name
        return sorted(name for name in dir(owner()) if not name.startswith("__"))

    return __getattr__, __dir__
