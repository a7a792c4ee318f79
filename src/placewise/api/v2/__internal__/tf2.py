"""tf.__internal__.tf2: which TensorFlow a program is written for."""

from placewise.core.scope import era as _era


def enabled() -> bool:
    """Return True in a program of TensorFlow 2."""
    return _era.base is None
