"""`tf.TensorArray` in functions: a list as a value, which loops, branches and gradients see."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.graph.defaults import get_default_graph
from placewise.graph.recorder import constant_value
from placewise.graph.tensor import GraphTensor
from placewise.graph.tensor_array import GraphTensorArray
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow import tensor_list_pieces as pieces
from placewise.ops.flow import tensor_list_rows as rows
from placewise.ops.flow import tensor_lists as lists
from placewise.ops.flow.list_values import as_array
from placewise.ops.flow.tensor_array import Asked
from placewise.ops.math.cast import cast


class FunctionTensorArray(GraphTensorArray):
    """A TensorArray of a function; its flow is the list itself, and each change gives another."""

    _count: int | None = None  # how many items there are, if that is known and will not change

    def _begin(self, asked: Asked) -> None:
        if asked.handle is not None:
            raise ValueError("TensorArray handles are not supported in functions.")
        if asked.flow is None and asked.size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        self._describe(asked)
        size = asked.size
        if size is not None and not self._dynamic:
            known = constant_value(size) if isinstance(size, GraphTensor) else size
            self._count = None if known is None else int(known)
        self._flow = asked.flow
        if self._flow is None:
            self._flow = lists.reserved_list(
                self._dims, size, element_dtype=self._dtype, name=asked.name or "TensorArrayV2"
            )

    @property
    def _dims(self) -> Any:
        return as_array(self.element_shape._dims)

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not there: a gradient tape follows the items themselves."""
        raise NotImplementedError("TensorArray.grad is not supported in functions.")

    def read(self, index: Any, name: str | None = None) -> Any:
        """Return the item at `index`; zeros if none was written."""
        with get_default_graph().name_scope(name or "TensorArrayV2Read"):
            return lists.get_item(self._flow, index, self._dims, element_dtype=self._dtype)

    def write(self, index: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with `value` at `index`."""
        with get_default_graph().name_scope(name or "TensorArrayV2Write"):
            value = self._value(value)
            self._learn(value.shape)
            grows = self._dynamic
            return self._with_flow(
                lists.set_item(self._flow, index, value, resize_if_index_out_of_bounds=grows)
            )

    def stack(self, name: str | None = None) -> Any:
        """Return all items as one tensor, along a new first dimension."""
        with get_default_graph().name_scope(name or "TensorArrayV2Stack"):
            count = -1 if self._count is None else self._count
            return rows.stacked(
                self._flow, self._dims, element_dtype=self._dtype, num_elements=count
            )

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the items at `indices` as one tensor."""
        return rows.gathered(self._flow, indices, self._dims, element_dtype=self._dtype, name=name)

    def concat(self, name: str | None = None) -> Any:
        """Return all items joined along their first dimension."""
        shape = self.element_shape._dims
        dims = as_array((None, *shape[1:]) if shape else None)
        none = np.zeros(0, np.int64)
        return pieces.concatenated(self._flow, dims, none, element_dtype=self._dtype, name=name)[0]

    def unstack(self, value: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with the slices of `value` along its first dimension as its items."""
        with get_default_graph().name_scope(name or "TensorArrayUnstack"):
            value = self._value(value)
            self._learn_rows(value)
            dims = as_array(None if value.shape.rank is None else value.shape._dims[1:])
            return self._with_flow(rows.list_from_tensor(value, dims))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with the slices of `value` written at `indices`."""
        with get_default_graph().name_scope(name or "TensorArrayScatter"):
            value = self._value(value)
            self._learn_rows(value)
            return self._with_flow(rows.scattered_into(self._flow, value, indices))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with pieces of `value`, of these lengths, as its items."""
        with get_default_graph().name_scope(name or "TensorArraySplit"):
            value = self._value(value)
            lengths = convert_to_tensor(lengths)
            self._learn_pieces(value, lengths)
            return self._with_flow(pieces.split_list(value, self._dims, cast(lengths, "int64")))

    def size(self, name: str | None = None) -> Any:
        """Return the number of items."""
        if self._count is not None:
            return convert_to_tensor(self._count)
        return lists.list_length(self._flow, name=name)

    def close(self, name: str | None = None) -> Any:
        """Do nothing: a list goes when nothing needs it."""
        return None


FunctionTensorArray.__module__ = "tensorflow.python.ops.tensor_array_ops"
FunctionTensorArray.__qualname__ = FunctionTensorArray.__name__ = "TensorArray"
