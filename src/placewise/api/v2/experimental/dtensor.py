"""tf.experimental.dtensor: importable, as Keras imports it; none of its names are here."""

from typing import Any as _Any


def __getattr__(name: str) -> _Any:
    raise AttributeError(
        f"module 'tensorflow.experimental.dtensor' has no attribute {name!r}: tensors laid out "
        "over a mesh are not part of placewise; tf.distribute is the way to several devices"
    )
