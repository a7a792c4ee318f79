"""`tf.app.run` of TensorFlow 1: runs a program's `main` with its flags read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from absl import app

from placewise.core.log import get_logger
from placewise.tf1.flag_values import FLAGS


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Read the flags, call `main` with the other arguments and exit with what it returns.

    `main`: the function to call, by default that of the program named so.
    `argv`: the command line, by default `sys.argv`. Flags that nobody defined stay among the
        arguments.

    >>> callable(tf.compat.v1.app.run)  # it would end this process
    True
    """
    get_logger()  # its own lines stay beside absl's, as in TensorFlow

    def parse(arguments: list[str] | None) -> list[str]:
        return FLAGS(sys.argv if arguments is None else arguments, known_only=True)

    app.run(main or sys.modules["__main__"].main, argv=argv, flags_parser=parse)
