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

    `main` is by default the function of that name in the program. Flags nobody defined are left
    among the arguments.
    """
    get_logger()  # its own lines stay beside absl's, as in TensorFlow

    def parsed(given: list[str]) -> list[str]:
        return flags.FLAGS(sys.argv if given is None else given, known_only=True)

    app.run(main or sys.modules["__main__"].main, argv=argv, flags_parser=parsed)
