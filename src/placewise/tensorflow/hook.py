"""The import hook that makes `import tensorflow` mean placewise in this process.

`install` is called by `placewise run`, by `placewise.install_as_tensorflow`, and by `tf.keras` when
it loads Keras. What it gives back
are placewise's own modules, not copies: `tensorflow.nn is placewise.nn`. What does not exist says
so by name, with the nearest name that does; the search never falls through to an installed
TensorFlow, nor into placewise's folders.
Processes that the program starts through `multiprocessing` get the hook too.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from multiprocessing import spawn
from types import ModuleType
from typing import Any

from placewise import messages
from placewise.core.namespace import LEFT_OUT, AliasLoader, nearest
from placewise.tensorflow import private_modules
from placewise.tensorflow.modules import (
    ELSEWHERE,
    PACKAGES,
    ROOT,
    SAME,
    in_tensorflow,
    usual_spelling,
)

COVERAGE = "docs/coverage.md"
# Whatever else begins with `tensorflow` (tensorflow_hub, tensorflow_datasets) is its own package.
_BEGINNINGS = (ROOT + ".", "tensorflow_core.")


class PrivateLoader(Loader):
    """Makes the modules that stand for TensorFlow's inner ones, and the packages between."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module whose names are found on first use."""
        return private_modules.PrivateModule(spec.name, f"Stands for TensorFlow's {spec.name}.")

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing."""


class MessageLoader(PrivateLoader):
    """Makes the modules of protocol messages: `tensorflow.core.protobuf.config_pb2`."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module whose messages are built as they are used."""
        return messages.pb2(spec.name)


class TensorflowFinder(MetaPathFinder):
    """Answers for `tensorflow` and everything below it, before any other finder."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module placewise has; raise for one it has not."""
        if not fullname.startswith(_BEGINNINGS) and fullname not in (ROOT, "tensorflow_core"):
            if fullname.startswith("multiprocessing.popen_"):
                _give_to_children()
            return _keras() if fullname == "keras" else None
        usual = usual_spelling(fullname)
        loader: Loader
        is_contrib = any(name.startswith("tensorflow.contrib.") for name in (fullname, usual))
        if is_contrib and SAME[ROOT] == "placewise":
            said = _missing(usual, f"No module named {usual!r}")
            raise ModuleNotFoundError(said, name=f"{usual} in placewise")
        if usual != fullname and usual != "tensorflow.compat.v1":
            loader = AliasLoader(usual)
        elif found := _target(usual):
            loader = AliasLoader(found)
        elif (
            usual in PACKAGES
            or usual in private_modules.packages()
            or private_modules.sources_of(usual)
        ):
            loader = PrivateLoader()
        elif usual in message_modules():
            loader = MessageLoader()
        elif usual in message_packages() or fullname == "tensorflow._api":
            loader = PrivateLoader()
        else:
            # `name` is not the name looked for: import would swallow the message of a failed
            # `from tensorflow.x import y` if it were.
            said = _missing(usual, f"No module named {usual!r}")
            raise ModuleNotFoundError(said, name=f"{usual} in placewise")
        # An empty search path lets `tensorflow.x.y` be imported when x is a plain module.
        return ModuleSpec(fullname, loader, is_package=True)


def _keras() -> ModuleSpec | None:
    """Return Keras's own spec; once it has run, Keras also has what placewise gives it."""
    spec = PathFinder.find_spec("keras")
    if spec is None or spec.loader is None:
        return spec
    run = spec.loader.exec_module

    def run_and_add(module: ModuleType) -> None:
        run(module)
        from placewise.tensorflow import keras_files, keras_optimizers, keras_rnn  # noqa: PLC0415 - keeps keras out

        keras_optimizers.install()
        keras_rnn.install()
        keras_files.install()

    spec.loader.exec_module = run_and_add  # type: ignore[method-assign]
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
    if installed_root() is not None:
        return
    if ROOT in sys.modules and sys.modules[ROOT] is not sys.modules.get("placewise"):
        where = getattr(sys.modules[ROOT], "__file__", None) or "unknown"
        raise RuntimeError(
            f"tensorflow is already imported in this process (from {where}) and cannot become "
            "placewise any more: install the hook first, before any `import tensorflow`, in a new "
            "process or a restarted kernel; or run the program with `placewise run`"
        )
    SAME[ROOT] = root
    sys.meta_path.insert(0, TensorflowFinder())
    sys.meta_path.append(LastFinder())


def installed_root() -> str | None:
    """Return which module `import tensorflow` gives; None while the hook is not installed."""
    is_installed = any(isinstance(finder, TensorflowFinder) for finder in sys.meta_path)
    return SAME[ROOT] if is_installed else None


def uninstall() -> None:
    """Take the hook out again and forget the TensorFlow names it gave."""
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if not isinstance(finder, TensorflowFinder | LastFinder)
    ]
    for name in [name for name in sys.modules if _is_tensorflow(name)]:
        del sys.modules[name]
    SAME[ROOT] = "placewise"


@contextmanager
def meaning(root: str) -> Iterator[None]:
    """Let `import tensorflow` give another module for the time of a block: TensorFlow 2's names.

    For a library that asks for these while the program is one of TensorFlow 1.
    """
    known = {name: module for name, module in sys.modules.items() if _is_tensorflow(name)}
    before = SAME[ROOT]
    if before == root:
        yield
        return
    for name in known:
        del sys.modules[name]
    SAME[ROOT] = root
    try:
        yield
    finally:
        SAME[ROOT] = before
        for name in [name for name in sys.modules if _is_tensorflow(name)]:
            del sys.modules[name]
        sys.modules.update(known)


def _is_tensorflow(name: str) -> bool:
    return name.partition(".")[0] in (ROOT, ROOT + "_core")


class _InstalledOnArrival:
    """Installs the hook in the process that unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return install, (SAME[ROOT],)


def _give_to_children() -> None:
    """Have processes that `multiprocessing` spawns install the hook before they read the program.

    A forked process has it anyway. A spawned one first unpickles what `get_preparation_data` gives.
    """
    if hasattr(spawn.get_preparation_data, "__wrapped__"):
        return
    prepare = spawn.get_preparation_data

    @functools.wraps(prepare)
    def with_hook(name: str) -> dict[str, Any]:
        return {"placewise": _InstalledOnArrival(), **prepare(name)}

    spawn.get_preparation_data = with_hook


@functools.cache
def message_modules() -> frozenset[str]:
    """Return the names of the modules of protocol messages."""
    return frozenset(messages.pb2_modules())


@functools.cache
def message_packages() -> frozenset[str]:
    """Return the packages that hold the modules of messages."""
    return frozenset(
        name.rsplit(".", depth)[0]
        for name in message_modules()
        for depth in range(1, name.count("."))
    )


def children(name: str) -> list[str]:
    """Return the names right below a TensorFlow module that placewise has."""
    known = [*PACKAGES, *message_modules(), *(same for same in SAME if _target(same))]
    below = {
        full[len(name) + 1 :].partition(".")[0] for full in known if full.startswith(name + ".")
    }
    module = sys.modules.get(name)
    if module is None:
        return sorted(below)
    listed = getattr(module, "__all__", None) or [own for own in dir(module) if own[0] != "_"]
    return sorted(below | set(listed))


def _target(fullname: str) -> str | None:
    """Return the placewise module that `fullname` is, or None."""
    if fullname in SAME:
        return SAME[fullname] if _exists(SAME[fullname]) else None
    parent_name, _, leaf = fullname.rpartition(".")
    parent = sys.modules.get(parent_name) if parent_name else None
    if parent is None or isinstance(parent, private_modules.PrivateModule) or leaf.startswith("_"):
        return None
    # Only what the parent's public table has: placewise's own folders (core, eager) are private.
    public = getattr(parent, "__all__", None)
    if public is not None and leaf not in public:
        return None
    child = getattr(parent, leaf, None)
    own = isinstance(child, ModuleType) and child.__name__.partition(".")[0] in (
        "placewise",
        "keras",
        "tf_keras",
    )
    return child.__name__ if own and child is not None else None


def _exists(module: str) -> bool:
    if module in sys.modules:
        return True
    # Asks the file system only: the general search would end in LastFinder, which asks this.
    parent = module.rpartition(".")[0]
    if not parent:
        return PathFinder.find_spec(module) is not None
    if not _exists(parent):
        return False
    return PathFinder.find_spec(module, importlib.import_module(parent).__path__) is not None


def _is_here(name: str) -> bool:
    """Return whether this TensorFlow has a namespace: then another's is no answer."""
    leaf = name.partition(".")[2]
    return leaf in getattr(sys.modules.get(ROOT), "__all__", ())


def _missing(fullname: str, said: str) -> str:
    parent, _, leaf = fullname.rpartition(".")
    if advice := LEFT_OUT.get("placewise" + fullname.removeprefix(ROOT)):
        return f"{said}: {advice}"
    why = next(
        (
            why
            for name, why in ELSEWHERE.items()
            if (fullname + ".").startswith(name + ".") and not _is_here(name)
        ),
        "",
    )
    close = "" if why else nearest(leaf, children(parent))
    hint = f"; {why}" if why else f"; the nearest name is {parent}.{close}" if close else ""
    return f"{said}: placewise does not have it{hint}; what it has is listed in {COVERAGE}"
