"""`tf.TensorArraySpec`: what is known of a TensorArray."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.ops.flow import tensor_lists as lists
from placewise.ops.flow.graphs import graph_flow
from placewise.ops.flow.list_values import as_array
from placewise.ops.flow.tensor_array import EagerItems, TensorArray
from placewise.ops.specs import TensorSpec, TypeSpec


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
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infers_shape)

    def _components(self) -> list[Any]:
        return [TensorSpec([], dtypes.variant)]

    def to_tensors(self, value: TensorArray) -> list[Any]:
        """Return the array as one list of tensors, a variant."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        flow = value.flow
        if flow.dtype is dtypes.variant:  # of a function: the list itself
            return [flow]
        if value.handle is not None:
            raise NotImplementedError(
                "A TensorArray of a TensorFlow 1 graph is no element of a dataset; give its stack()"
            )
        return [self._listed(value._items)]

    def _listed(self, items: EagerItems) -> Any:
        dims = as_array(items.element_shape._dims)
        made = lists.reserved_list(dims, len(items.items), element_dtype=items.dtype)
        for index, item in enumerate(items.items):
            if item is not None:
                made = lists.set_item(made, index, item)
        return made

    def _from_components(self, parts: list[Any]) -> Any:
        options: dict[str, Any] = {
            "dynamic_size": self._dynamic_size,
            "infer_shape": self._infer_shape,
        }
        shape = self._element_shape if self._element_shape.rank is not None else None
        if graph_flow() is not None:
            return TensorArray(self._dtype, flow=parts[0], element_shape=shape, **options)
        count = int(lists.list_length(parts[0]))
        made = TensorArray(self._dtype, count, element_shape=shape, **options)
        dims = as_array(self._element_shape._dims)
        for index in range(count):
            item = lists.get_item(parts[0], index, dims, element_dtype=self._dtype)
            made = made.write(index, item)
        return made

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)


TensorArraySpec.__module__ = "tensorflow.python.ops.tensor_array_ops"
