"""`tf.TensorArraySpec`: what is known of a TensorArray."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.specs import TypeSpec


class TensorArraySpec(TypeSpec):
    """The element shape and dtype of a TensorArray."""

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    @property
    def value_type(self) -> Any:
        """tf.TensorArray."""
        return TensorArray

    @classmethod
    def from_value(cls, value: TensorArray) -> Any:
        """Return the spec of a TensorArray."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return cls(value.element_shape, value.dtype, value.dynamic_size)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)


TensorArraySpec.__module__ = "tensorflow.python.ops.tensor_array_ops"
