"""`tf.TensorArray` in functions: a list as a value, which loops, branches and gradients see."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.graph.recorder import constant_value
from placewise.graph.tensor import GraphTensor
from placewise.graph.tensor_array import GraphTensorArray, _with_rows
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.creation import zeros
from placewise.ops.array.shape import identity, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow import histories, list_ops
from placewise.ops.math.casting import cast


class FunctionTensorArray(GraphTensorArray):
    """A TensorArray of a function; its flow is the list itself, and each change gives another."""

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise ValueError("TensorArray handles are not supported in functions.")
        if flow is None and size is None:
            raise ValueError("Size must be provided if handle is not provided")
        self._dtype = as_dtype(dtype).base_dtype
        self._dynamic = bool(dynamic_size)
        self._infers = infer_shape or element_shape is not None
        self._handle = None
        self._known: list[TensorShape] = []
        self._count: int | None = None
        if element_shape is not None:
            self._known.append(TensorShape(element_shape))
        if flow is not None:
            self._flow = flow
            return
        size = convert_to_tensor(size, dtype_hint="int32", name="size")
        if isinstance(size, GraphTensor) and not self._dynamic:
            known = constant_value(size)
            self._count = None if known is None else int(known)
        self._flow = list_ops.reserve(cast(size, "int32"))

    def _with_flow(self, flow: Any) -> FunctionTensorArray:
        made = FunctionTensorArray.__new__(FunctionTensorArray)
        made._dtype, made._dynamic, made._infers = self._dtype, self._dynamic, self._infers
        made._handle, made._known, made._flow = None, self._known, flow
        made._count = self._count
        return made

    @property
    def _dims(self) -> Any:
        return self.element_shape._dims

    def _counted(self, rows: Any) -> Any:
        if self._known:
            rows.set_shape(_with_rows(self.element_shape))
        return rows

    def identity(self) -> FunctionTensorArray:
        """Return the array."""
        return self._with_flow(identity(self._flow))

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not there: a gradient tape follows the items themselves."""
        raise NotImplementedError("TensorArray.grad is not supported in functions.")

    def read(self, index: Any, name: str | None = None) -> Any:
        """Return the item at `index`; zeros if none was written."""
        index = cast(index, "int32")
        return self._told(
            list_ops.get_item(self._flow, index, self._dtype, self._dims), self.element_shape
        )

    def write(self, index: Any, value: Any, name: str | None = None) -> FunctionTensorArray:
        """Return the array with `value` at `index`."""
        value = self._item(value)
        self._learn(value.shape)
        index = cast(index, "int32")
        return self._with_flow(
            list_ops.set_item(self._flow, index, value, self._dtype, self._dynamic)
        )

    def _item(self, value: Any) -> Any:
        value = self._value(value)
        if value.dtype.base_dtype is not self._dtype:
            raise TypeError(
                f"Invalid data types; list elements {self._dtype.name} but tried to append "
                f"{value.dtype.base_dtype.name}"
            )
        return value

    def stack(self, name: str | None = None) -> Any:
        """Return all items as one tensor, along a new first dimension."""
        found = self.gather(numbers(0, self.size()))
        if self._count is not None and found._dims is not None:
            found.set_shape([self._count, *found._dims[1:]])
        return found

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the items at `indices` as one tensor."""
        indices = cast(indices, "int32")
        return self._counted(list_ops.gather(self._flow, indices, self._dtype, self._dims))

    def concat(self, name: str | None = None) -> Any:
        """Return all items joined along their first dimension."""
        shape = self.element_shape
        rest = list(shape._dims[1:]) if shape.rank else []
        empty = zeros([0, *[0 if size is None else size for size in rest]], self._dtype)
        found = histories.concat(self._flow, empty)
        if shape.rank:
            found._dims = (None, *rest)
        return found

    def unstack(self, value: Any, name: str | None = None) -> FunctionTensorArray:
        """Return the array with the slices of `value` along its first dimension as its items."""
        value = self._item(value)
        return self.scatter(numbers(0, shape_of(value)[0]), value)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> FunctionTensorArray:
        """Return the array with the slices of `value` written at `indices`."""
        value = self._item(value)
        if value.shape.rank != 0:
            self._learn(value.shape[1:] if value.shape.rank else TensorShape(None))
        indices = cast(indices, "int32")
        return self._with_flow(list_ops.scatter(self._flow, indices, value, self._dynamic))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> FunctionTensorArray:
        """Return the array with pieces of `value`, of these lengths, as its items."""
        value = self._item(value)
        lengths = convert_to_tensor(lengths)
        known = constant_value(lengths) if isinstance(lengths, GraphTensor) else None
        alike = known is not None and known.ndim == 1 and len(known) and np.all(known == known[0])
        if self._infers and value.shape.rank and alike:
            self._learn(TensorShape([int(known[0])]).concatenate(value.shape[1:]))
        return self._with_flow(list_ops.split(value, cast(lengths, "int64")))

    def size(self, name: str | None = None) -> Any:
        """Return the number of items."""
        if self._count is not None:
            return convert_to_tensor(self._count)
        return list_ops.length(self._flow)

    def close(self, name: str | None = None) -> Any:
        """Do nothing: a list goes when nothing needs it."""
        return None


FunctionTensorArray.__module__ = "tensorflow.python.ops.tensor_array_ops"
FunctionTensorArray.__qualname__ = FunctionTensorArray.__name__ = "TensorArray"
