"""The import hook that makes `import tensorflow` mean placewise in this process.

`install` is called by `placewise run` only. What it gives back are placewise's own modules, not
copies: `tensorflow.nn is placewise.nn`. What does not exist says so by name, with the nearest name
that does; the search never falls through to an installed TensorFlow, nor into placewise's folders.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from placewise.compat.modules import PACKAGES, ROOT, SAME, in_placewise, in_tensorflow
from placewise.core.namespace import nearest

COVERAGE = "docs/coverage.md"


class AliasLoader(Loader):
    """Gives an existing placewise module under a TensorFlow name."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the placewise module itself."""
        module = importlib.import_module(self.target)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing, as it ran under its own name; put back the spec that import replaced."""
        module.__spec__ = self.spec


class PackageLoader(Loader):
    """Makes the empty packages between `tensorflow` and the inner modules it has here."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty package whose modules load on first use."""
        return _Package(spec.name, f"Stands for TensorFlow's {spec.name}.")

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing."""


class _Package(ModuleType):
    """A package that holds only other modules."""

    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if not name.startswith("__") and (full in PACKAGES or _target(full)):
            return importlib.import_module(full)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *children(self.__name__)})


class TensorflowFinder(MetaPathFinder):
    """Answers for `tensorflow` and everything below it, before any other finder."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module placewise has; raise for one it has not."""
        if fullname != ROOT and not fullname.startswith(ROOT + "."):
            return None
        if found := _target(fullname):
            # An empty search path lets `tensorflow.x.y` be imported when x is a plain module.
            spec = ModuleSpec(fullname, AliasLoader(found), is_package=True)
        elif fullname in PACKAGES:
            spec = ModuleSpec(fullname, PackageLoader(), is_package=True)
        else:
            # `name` is the placewise spelling: import would swallow the message of a failed
            # `from tensorflow.x import y` if it were the name it is looking for.
            said = _missing(fullname, f"No module named {fullname!r}")
            raise ModuleNotFoundError(said, name=in_placewise(fullname))
        return spec


class LastFinder(MetaPathFinder):
    """Asked when nobody has `placewise.x`: what `from tensorflow import x` ends in."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise the error that names what is missing, in the program's own spelling."""
        if not fullname.startswith("placewise.") or path is None:
            return None
        shown = in_tensorflow(fullname)
        parent, _, name = shown.rpartition(".")
        said = _missing(shown, f"cannot import name {name!r} from {parent!r}")
        raise ModuleNotFoundError(said, name=shown)


def install(root: str = "placewise") -> None:
    """Make `import tensorflow` mean placewise from now on in this process.

    `root` is the module it is: `placewise`, or `placewise.v1` for a program of TensorFlow 1.
    """
    if any(isinstance(finder, TensorflowFinder) for finder in sys.meta_path):
        return
    if ROOT in sys.modules and sys.modules[ROOT] is not sys.modules.get("placewise"):
        raise RuntimeError("tensorflow is already imported in this process; install the hook first")
    SAME[ROOT] = root
    sys.meta_path.insert(0, TensorflowFinder())
    sys.meta_path.append(LastFinder())


def uninstall() -> None:
    """Take the hook out again and forget the TensorFlow names it gave."""
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if not isinstance(finder, TensorflowFinder | LastFinder)
    ]
    for name in [name for name in sys.modules if name.partition(".")[0] == ROOT]:
        del sys.modules[name]
    SAME[ROOT] = "placewise"


def children(name: str) -> list[str]:
    """Return the names of the modules right below a TensorFlow module that placewise has."""
    inner = {
        full[len(name) + 1 :].partition(".")[0]
        for full in [*PACKAGES, *(known for known in SAME if _target(known))]
        if full.startswith(name + ".")
    }
    module = sys.modules.get(name)
    if module is None or isinstance(module, _Package):
        return sorted(inner)
    listed = getattr(module, "__all__", None) or [own for own in dir(module) if own[0] != "_"]
    return sorted(inner | set(listed))


def _target(fullname: str) -> str | None:
    """Return the placewise module that `fullname` is, or None."""
    if fullname in SAME:
        return SAME[fullname] if _exists(SAME[fullname]) else None
    parent_name, _, leaf = fullname.rpartition(".")
    parent = sys.modules.get(parent_name) if parent_name else None
    if parent is None or isinstance(parent, _Package) or leaf.startswith("_"):
        return None
    # Only what the parent's public table has: placewise's own folders (core, eager) are private.
    public = getattr(parent, "__all__", None)
    if public is not None and leaf not in public:
        return None
    child = getattr(parent, leaf, None)
    own = isinstance(child, ModuleType) and child.__name__.partition(".")[0] in (
        "placewise",
        "keras",
    )
    return child.__name__ if own and child is not None else None


def _exists(module: str) -> bool:
    if module in sys.modules:
        return True
    # Asks the file system only: the general search would end in LastFinder, which asks this.
    parent = module.rpartition(".")[0]
    if not (parent and _exists(parent)):
        return False
    return PathFinder.find_spec(module, importlib.import_module(parent).__path__) is not None


def _missing(fullname: str, said: str) -> str:
    parent, _, leaf = fullname.rpartition(".")
    close = nearest(leaf, children(parent))
    hint = f"; the nearest name is {parent}.{close}" if close else ""
    return f"{said}: placewise does not have it{hint}; what it has is listed in {COVERAGE}"
