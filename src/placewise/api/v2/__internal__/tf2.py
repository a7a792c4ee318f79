"""tf.__internal__.tf2: which TensorFlow a program is written for."""

from placewise.core.scope import Scope


def enabled() -> bool:
    """Return True in a program of TensorFlow 2."""
    return Scope.base is None
