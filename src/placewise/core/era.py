"""Which of the two namespaces a program uses first: it decides whether ops run at once.

`import placewise.v1` makes a program one of TensorFlow 1, whose ops go into graphs. A program that
has used `placewise` itself by then keeps running ops at once, and gets a warning.
"""

from __future__ import annotations

import sys

from placewise.core.log import get_logger
from placewise.core.scope import begin_with_graphs, era, has_run_eagerly

_OWN = ("placewise", "importlib", "keras")


def begin_program() -> None:
    """Forget which namespaces were used: `placewise run` knows the era of the program it starts."""
    era.used_tf2 = era.used_tf1 = False


def note_tf2() -> None:
    """Note that the program looks up a name of TensorFlow 2's namespace."""
    if era.used_tf2 or _is_own_lookup():
        return
    era.used_tf2 = True
    if era.used_tf1 and era.base is not None:
        get_logger().warning(
            "placewise is used after placewise.v1: the program is one of TensorFlow 1, and ops go "
            "into graphs also where they are called as placewise's. To run them at once, call "
            "tf.compat.v1.enable_eager_execution(), or import placewise and use it before "
            "placewise.v1."
        )


def begin_tf1() -> None:
    """Let the program be one of TensorFlow 1, unless it uses TensorFlow 2's namespace already."""
    if era.used_tf2 or has_run_eagerly():
        get_logger().warning(
            "placewise.v1 is imported after placewise was used: ops still run at once. For graphs "
            "and sessions, call tf.compat.v1.disable_v2_behavior() (or only "
            "tf.compat.v1.disable_eager_execution()), or import placewise.v1 first."
        )
        return
    era.used_tf1 = True
    begin_with_graphs()


def _is_own_lookup() -> bool:
    """Return True if a module of placewise itself looks a name up."""
    frame = sys._getframe(2)  # the caller of the namespace's `__getattr__`
    while frame.f_back is not None and _named(frame.f_back, "importlib"):
        frame = frame.f_back
    caller = frame.f_back
    return caller is None or any(_named(caller, name) for name in _OWN)


def _named(frame: object, name: str) -> bool:
    module = str(frame.f_globals.get("__name__", ""))  # type: ignore[attr-defined]
    return module == name or module.startswith(f"{name}.")
