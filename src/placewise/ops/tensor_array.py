"""`tf.TensorArray`: a list of tensors that are written and read one by one.

In eager programs it holds the tensors themselves, so gradients flow through it like through a
Python list.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.errors import InvalidArgumentError, OutOfRangeError
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TypeSpec


class TensorArray:
    """Tensors of one dtype by index; each may be written and, unless kept, read once."""

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: bool | None = None,
        clear_after_read: bool | None = None, tensor_array_name: str | None = None,
        handle: Any = None, flow: Any = None, infer_shape: bool = True, element_shape: Any = None,
        colocate_with_first_write_call: bool = True, name: str | None = None,
    ) -> None:  # fmt: skip
        if handle is not None:
            raise ValueError(
                "TensorArray handles are not supported when eager execution is enabled."
            )
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        self._dtype = as_dtype(dtype).base_dtype
        self._dynamic = bool(dynamic_size)
        self._clears = True if clear_after_read is None else clear_after_read
        self._infers = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._tensors: list[Any] = [None] * int(size)
        self._read: set[int] = set()

    @property
    def flow(self) -> Any:
        """A scalar that orders the operations in graphs; nothing of interest in eager programs."""
        return convert_to_tensor(0)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self) -> Any:
        """None: there is no resource behind an eager array."""
        return None

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._element_shape

    @property
    def dynamic_size(self) -> bool:
        """True if writing beyond the end makes the array longer."""
        return self._dynamic

    @property
    def _infer_shape(self) -> bool:
        return self._infers

    def _index(self, index: Any) -> int:
        return int(index) if isinstance(index, (Tensor, np.ndarray, np.generic)) else index

    def _zero(self, index: int) -> Any:
        """Return an element; what was never written is zero once the shape is known."""
        found = self._tensors[index]
        if found is None:
            from placewise.ops.array.creation import zeros

            if not self._element_shape.is_fully_defined():
                raise ValueError(
                    f"Cannot convert a partially known TensorShape {self._element_shape} to a "
                    "Tensor."
                )
            found = self._tensors[index] = zeros(self._element_shape, self._dtype)
        return found

    def read(self, index: Any, name: str | None = None) -> Any:
        """Return the tensor at `index`; by default it is forgotten then."""
        index = self._index(index)
        if index < 0:
            raise OutOfRangeError(
                None, None, f"Reading from negative indices (index {index}) is not allowed."
            )
        if index >= len(self._tensors):
            raise OutOfRangeError(
                None, None,
                f"Tried to read from index {index} but array size is: {len(self._tensors)} ",
            )  # fmt: skip
        found = self._tensors[index]
        if found is None:
            if index in self._read:
                raise InvalidArgumentError(
                    None, None,
                    f"Could not read index {index} twice because it was cleared after a previous "
                    "read (perhaps try setting clear_after_read = false?)",
                )  # fmt: skip
            found = self._zero(index)
        if self._clears:
            self._tensors[index] = None
            self._read.add(index)
        return found

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Put `value` at `index` and return the array."""
        index = self._index(index)
        if index < 0:
            raise OutOfRangeError(
                None, None, f"Writing to negative indices (index {index}) is not allowed."
            )
        size = len(self._tensors)
        if index >= size:
            if not self._dynamic:
                raise OutOfRangeError(
                    None, None,
                    f"Tried to write to index {index} but array is not resizeable and size is: "
                    f"{size} ",
                )  # fmt: skip
            self._tensors.extend([None] * (index - size + 1))
        if not isinstance(value, Tensor):
            value = convert_to_tensor(
                value, None if hasattr(type(value), "__tf_tensor__") else self._dtype
            )
        if value.dtype.base_dtype is not self._dtype:
            raise InvalidArgumentError(
                None, None,
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{value.dtype.name} ",
            )  # fmt: skip
        self._check_shape(value.shape)
        self._tensors[index] = value
        self._read.discard(index)
        return self

    def _check_shape(self, shape: TensorShape) -> None:
        if not self._element_shape.is_compatible_with(shape):
            raise ValueError(
                f"Incompatible shape for value ({shape}), expected ({self._element_shape})"
            )
        if self._infers:
            self._element_shape = self._element_shape.merge_with(shape)

    def stack(self, name: str | None = None) -> Any:
        """Return all elements as one tensor, side by side."""
        from placewise.ops.array.creation import zeros
        from placewise.ops.array.stacking import stack

        if not self._tensors:
            shape = self._element_shape
            return zeros([0, *(shape.as_list() if shape.is_fully_defined() else [])], self._dtype)
        elements = [self._zero(index) for index in range(len(self._tensors))]
        if self._clears:
            self._tensors = [None] * len(elements)
            self._read.update(range(len(elements)))
        return stack(elements, name=name or "stack")

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return some elements as one tensor, side by side."""
        from placewise.ops.array.stacking import stack

        wanted = np.asarray(convert_to_tensor(indices)).reshape(-1).tolist()
        if not wanted:
            return TensorArray(self._dtype, 0, element_shape=self._element_shape).stack()
        return stack([self._zero(index) for index in wanted], name=name or "stack")

    def concat(self, name: str | None = None) -> Any:
        """Return all elements joined along their first dimension."""
        from placewise.ops.array.stacking import concat

        elements = [self._zero(index) for index in range(len(self._tensors))]
        for index, element in enumerate(elements):
            if element.shape.rank == 0:
                raise InvalidArgumentError(
                    None, None,
                    f"Concat saw a scalar shape at index {index} but requires at least vectors.",
                )  # fmt: skip
        return concat(elements, 0, name=name or "concat")

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Put the slices of `value` into the array, and return it."""
        from placewise.ops.array.stacking import unstack

        elements = unstack(convert_to_tensor(value, None if _typed(value) else self._dtype))
        if len(elements) > len(self._tensors) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(elements)} tensors into a TensorArray of static size "
                f"{len(self._tensors)} "
            )
        if elements:
            self._check_shape(elements[0].shape)
        self._tensors = list(elements)
        self._read.clear()
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Put the slices of `value` at `indices`, and return the array."""
        from placewise.ops.array.stacking import unstack

        wanted = np.asarray(convert_to_tensor(indices)).reshape(-1).tolist()
        slices = unstack(convert_to_tensor(value, None if _typed(value) else self._dtype))
        for index, element in zip(wanted, slices, strict=False):
            self.write(index, element)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Put pieces of `value` of these lengths into the array, and return it."""
        from placewise.ops.array.splitting import split

        tensor = convert_to_tensor(value, None if _typed(value) else self._dtype)
        sizes = np.asarray(convert_to_tensor(lengths)).reshape(-1).tolist()
        total = sum(sizes)
        if tensor.shape.rank == 0:
            raise InvalidArgumentError(
                None, None,
                f"Expected value to be at least a vector, but received shape: {tensor.shape} ",
            )  # fmt: skip
        if total != tensor.shape[0]:
            raise InvalidArgumentError(
                None, None,
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{total} and value's shape is: {tensor.shape.as_list()} ",
            )  # fmt: skip
        if not self._dynamic and len(sizes) != len(self._tensors):
            raise InvalidArgumentError(
                None, None,
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._tensors)} vs. {len(sizes)}), and the TensorArray is not marked as "
                "dynamically resizeable. ",
            )  # fmt: skip
        self._tensors = list(split(tensor, sizes))
        self._read.clear()
        return self

    def size(self, name: str | None = None) -> Any:
        """Return the number of elements."""
        return convert_to_tensor(len(self._tensors))

    def close(self, name: str | None = None) -> None:
        """Forget all elements."""
        self._tensors.clear()

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not needed in eager programs: gradients flow through the elements."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient "
            "implementation does not use/need this function to compute gradients of operations "
            "that use TensorArrays."
        )

    def identity(self) -> TensorArray:
        """Return the array itself."""
        return self

    @property
    def _type_spec(self) -> Any:
        return TensorArraySpec(self._element_shape, self._dtype, self._dynamic, self._infers)


TensorArray.__module__ = "tensorflow.python.ops.tensor_array_ops"


def _typed(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__")


class TensorArraySpec(TypeSpec):
    """The element shape and dtype of a TensorArray."""

    def __init__(
        self, element_shape: Any = None, dtype: Any = dtypes.float32, dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:  # fmt: skip
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    @property
    def value_type(self) -> Any:
        """tf.TensorArray."""
        return TensorArray

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """Return the spec of a TensorArray."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return value._type_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)


TensorArraySpec.__module__ = "tensorflow.python.ops.tensor_array_ops"
