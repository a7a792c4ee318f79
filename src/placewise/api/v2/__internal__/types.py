"""tf.__internal__.types: the classes that others derive from."""

from placewise.core.tensor import TensorLike as Tensor

__all__ = ["Tensor"]
