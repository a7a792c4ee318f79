"""`tf.TensorArray` in graphs: a handle to the list, and a flow that keeps its uses in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.graph.recorder import constant_value
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.shape import identity, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow import array_ops, array_rows
from placewise.ops.flow.tensor_array import Asked, TensorArray
from placewise.ops.math.cast import cast


class GraphTensorArray(TensorArray):
    """A TensorArray of a graph; each change gives an array with a newer flow."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an array of the kind that the graph has: functions keep lists as values."""
        chosen = get_default_graph().array_class if cls is GraphTensorArray else None
        return object.__new__(chosen or cls)

    def _begin(self, asked: Asked) -> None:
        handle, size = asked.handle, asked.size
        if handle is not None and asked.array_name:
            raise ValueError("Cannot construct with both handle and tensor_array_name")
        if handle is not None and size is not None:
            raise ValueError("Cannot provide both a handle and size at the same time")
        if handle is None and size is None:
            raise ValueError("Size must be provided if handle is not provided")
        if handle is not None and asked.element_shape is not None:
            raise ValueError("Cannot provide both a handle and element_shape at the same time")
        self._describe(asked)
        if handle is not None:
            self._handle, self._flow = handle, asked.flow
            return
        self._handle, self._flow = array_ops.tensor_array(
            size,
            dtype=self._dtype,
            element_shape=TensorShape(asked.element_shape)._dims,
            dynamic_size=self._dynamic,
            identical_element_shapes=asked.infer_shape,
            clear_after_read=asked.clear,
            tensor_array_name=asked.array_name,
            name=asked.name or "TensorArray",
        )
        if asked.flow is not None:
            self._flow = asked.flow

    def _describe(self, asked: Asked) -> None:
        """Take down what is known of the items."""
        self._dtype, self._dynamic, self._handle = asked.dtype, asked.dynamic, None
        self._infers = asked.infer_shape or asked.element_shape is not None
        self._narrows = asked.infer_shape  # False: items differ where `element_shape` is open
        # One list for all arrays around a handle: what a loop's body learns is known after it.
        self._known: list[TensorShape] = []
        if asked.element_shape is not None:
            self._known.append(TensorShape(asked.element_shape))

    def _with_flow(self, flow: Tensor) -> GraphTensorArray:
        result: GraphTensorArray = object.__new__(type(self))
        result.__dict__.update(self.__dict__, _flow=flow)
        return result

    @property
    def _infers_shape(self) -> bool:
        return self._narrows

    @property
    def dtype(self) -> Any:
        """The dtype of the items."""
        return self._dtype

    @property
    def flow(self) -> Any:
        """The scalar that comes after everything done so far."""
        return self._flow

    @property
    def handle(self) -> Any:
        """The resource through which ops reach the list."""
        return self._handle

    @property
    def dynamic_size(self) -> bool:
        """True if writing past the end makes the array grow."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the items' shape."""
        return self._known[0] if self._known else TensorShape(None)

    @property
    def _infer_shape(self) -> bool:
        return self._infers

    def _learn(self, shape: TensorShape) -> None:
        """Take in the shape of something written."""
        if not self._known:
            if self._infers and shape.rank is not None:
                self._known.append(shape)
            return
        if not shape.is_compatible_with(self._known[0]):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self._known[0]} ")
        if self._narrows:
            self._known[0] = self._known[0].merge_with(shape)

    def _learn_rows(self, value: Tensor) -> None:
        """Take in the shape of what has the items written as its rows."""
        rank = value.shape.rank
        if rank != 0:
            self._learn(value.shape[1:] if rank else TensorShape(None))

    def _learn_pieces(self, value: Any, lengths: Any) -> None:
        """Take in the shape of the pieces of `value`, if all are as long."""
        known = constant_value(lengths)
        alike = known is not None and known.ndim == 1 and len(known) and np.all(known == known[0])
        if alike and self._infers and value.shape.rank:
            self._learn(TensorShape([int(known[0])]).concatenate(value.shape[1:]))

    def _told(self, value: Tensor, shape: TensorShape) -> Any:
        if self._known:
            value.set_shape(shape)
        return value

    def _value(self, value: TensorLike) -> Any:
        return convert_to_tensor(value, dtype_hint=self._dtype, name="value")

    def identity(self) -> GraphTensorArray:
        """Return the array with a flow of its own."""
        return self._with_flow(identity(self._flow))

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> GraphTensorArray:
        """Return the array that gathers gradients for `source`."""
        flow = self._flow if flow is None else flow
        graph = get_default_graph()
        with graph.name_scope(name or "TensorArrayGrad"):
            rows, after = array_ops.array_gradient(self._handle, flow, source=source)
            with graph.control_dependencies([after.op]):
                flow = identity(flow, name="gradient_flow")
            gradients: GraphTensorArray = GraphTensorArray(
                self._dtype,
                handle=rows,
                flow=flow,
                infer_shape=self._narrows,
                colocate_with_first_write_call=False,
            )
            return gradients

    def read(self, index: TensorLike, name: str | None = None) -> Any:
        """Return the item at `index`; by default it can be read once only."""
        rows = array_ops.read(self._handle, index, self._flow, dtype=self._dtype, name=name)
        return self._told(rows, self.element_shape)

    def write(self, index: TensorLike, value: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with `value` at `index`."""
        with get_default_graph().name_scope(name or "TensorArrayWrite"):
            value = self._value(value)
            self._learn(value.shape)
            return self._with_flow(array_ops.write(self._handle, index, value, self._flow))

    def stack(self, name: str | None = None) -> Any:
        """Return all items as one tensor, along a new first dimension."""
        with get_default_graph().name_scope(name or "TensorArrayStack"):
            return self.gather(numbers(0, self.size()))

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the items at `indices` as one tensor."""
        rows = array_rows.gather(
            self._handle,
            indices,
            self._flow,
            dtype=self._dtype,
            element_shape=self.element_shape._dims,
            name=name,
        )
        return self._told(rows, _with_rows(self.element_shape))

    def concat(self, name: str | None = None) -> Any:
        """Return all items joined along their first dimension."""
        shape = self.element_shape
        rest = shape[1:] if shape.rank else TensorShape(None)
        rows, _ = array_rows.concat(
            self._handle,
            self._flow,
            dtype=self._dtype,
            element_shape_except0=rest._dims,
            name=name,
        )
        return self._told(rows, _with_rows(rest)) if shape.rank else rows

    def unstack(self, value: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with the slices of `value` along its first dimension as its items."""
        with get_default_graph().name_scope(name or "TensorArrayUnstack"):
            value = self._value(value)
            return self.scatter(numbers(0, shape_of(value)[0]), value)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with the slices of `value` written at `indices`."""
        with get_default_graph().name_scope(name or "TensorArrayScatter"):
            value = self._value(value)
            self._learn_rows(value)
            flow = array_rows.scatter(self._handle, indices, value, self._flow)
            return self._with_flow(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> GraphTensorArray:
        """Return the array with pieces of `value`, of these lengths, as its items."""
        with get_default_graph().name_scope(name or "TensorArraySplit"):
            value = self._value(value)
            lengths = convert_to_tensor(lengths)
            self._learn_pieces(value, lengths)
            return self._with_flow(
                array_rows.split(self._handle, value, cast(lengths, "int64"), self._flow)
            )

    def size(self, name: str | None = None) -> Any:
        """Return the number of items."""
        return array_ops.size(self._handle, self._flow, name)

    def close(self, name: str | None = None) -> Any:
        """Return an operation that gives back what the array holds."""
        return array_ops.close(self._handle, name)


def _with_rows(shape: TensorShape) -> TensorShape:
    if shape.rank is None:
        return TensorShape(None)
    return TensorShape([None]).concatenate(shape)


GraphTensorArray.__module__ = "tensorflow.python.ops.tensor_array_ops"
GraphTensorArray.__qualname__ = GraphTensorArray.__name__ = "TensorArray"
