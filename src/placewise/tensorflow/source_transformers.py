"""`tensorflow.python.autograph`: the part of AutoGraph that other libraries build on.

AutoGraph is written anew here (`functions/autograph`), so its inner passes are not there to be
used. tensorflow-probability imports them at its start for one experimental decorator: its classes
may be defined on `Base`, and making one raises.
"""

from __future__ import annotations

from typing import Any


class Base:
    """Base of transformers of Python source; making one raises NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} rewrites Python with AutoGraph's inner passes, which placewise "
            "does not have; use tf.function, whose AutoGraph converts `if`, `for` and `while`"
        )
