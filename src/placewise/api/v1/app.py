"""tf.app of TensorFlow 1: runs a program's `main` with its flags read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from absl import app

from placewise.api.v1 import flags as flags
from placewise.core.log import get_logger


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Read the flags, call `main` with the other arguments and exit with what it returns.

    `main`: the function to call, by default that of the program named so.
    `argv`: the command line, by default `sys.argv`. Flags that nobody defined stay among the
        arguments.

    >>> callable(tf.compat.v1.app.run)  # it would end this process
    True
    """
    get_logger()  # its own lines stay beside absl's, as in TensorFlow

    def parsed(given: list[str]) -> list[str]:
        return flags.FLAGS(sys.argv if given is None else given, known_only=True)

    app.run(main or sys.modules["__main__"].main, argv=argv, flags_parser=parsed)
