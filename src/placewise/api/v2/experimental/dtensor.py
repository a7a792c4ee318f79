"""tf.experimental.dtensor: importable, as Keras imports it; no tensor is laid out over a mesh."""

from typing import Any as _Any

_REASON = (
    "tensors laid out over a mesh are not part of placewise; tf.distribute is the way to several "
    "devices"
)


class DVariable:
    """The class of variables over a mesh, for `isinstance`: there are none here."""

    def __init__(self, *args: _Any, **kwargs: _Any) -> None:
        raise NotImplementedError(f"tf.experimental.dtensor.DVariable: {_REASON}")


class DTensorDataset:
    """The class of datasets over a mesh, for `isinstance`: there are none here."""

    def __init__(self, *args: _Any, **kwargs: _Any) -> None:
        raise NotImplementedError(f"tf.experimental.dtensor.DTensorDataset: {_REASON}")


def __getattr__(name: str) -> _Any:
    raise AttributeError(
        f"module 'tensorflow.experimental.dtensor' has no attribute {name!r}: {_REASON}"
    )
