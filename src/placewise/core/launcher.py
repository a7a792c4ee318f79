"""What a task tells `placewise run --cluster`, which started it, on its standard error."""

from __future__ import annotations

import os

from placewise.core import environment

# A line that no program prints, and that the launcher does not pass on.
SERVING = "\x1eplacewise: this task only serves others"


def say_serving() -> None:
    """Tell the launcher that this task waits for others to use it, and may be ended after them."""
    if environment.read("PLACEWISE_LAUNCHED"):
        os.write(2, f"{SERVING}\n".encode())
