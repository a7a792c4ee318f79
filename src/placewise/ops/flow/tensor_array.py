"""`tf.TensorArray`: a list of tensors of one dtype that loops read from and write to."""

from __future__ import annotations

from typing import Any, NamedTuple

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import OpError, OutOfRangeError, ResourceExhaustedError, hint, invalid
from placewise.core.shapes import TensorShape
from placewise.ops import lazy
from placewise.ops.array.concat import concat as concat_tensors
from placewise.ops.array.concat import stack as stack_tensors
from placewise.ops.array.concat import unstack as unstack_tensor
from placewise.ops.array.creation import zeros
from placewise.ops.array.split import split as split_tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.graphs import graph_flow
from placewise.ops.math.cast import cast
from placewise.ops.values import EagerTensor


def _plain(value: TensorLike) -> Any:
    return value.numpy() if isinstance(value, EagerTensor) else value


_MOST_ITEMS = 1 << 28  # two gigabytes for the list alone


def _possible(size: int) -> int:
    """Return the size of an array if a list of that many items can be."""
    if size > _MOST_ITEMS:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating a TensorArray of {size} items: at most {_MOST_ITEMS}"
        )
    return size


class Asked(NamedTuple):
    """How a TensorArray is asked for, of whichever kind it will be."""

    dtype: Any
    size: Any
    dynamic: bool
    clear: bool
    array_name: str
    handle: Any
    flow: Any
    infer_shape: bool
    element_shape: Any
    name: str | None


class EagerItems:
    """What an eager TensorArray holds: a Python list, shared by all that came of one array."""

    def __init__(self, asked: Asked) -> None:
        if asked.size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        self.dtype = asked.dtype
        self.dynamic, self.clear, self.infer = asked.dynamic, asked.clear, asked.infer_shape
        self.element_shape = TensorShape(asked.element_shape)
        self.items: list[Any] = [None for _ in range(_possible(_plain(asked.size)))]
        self.cleared: set[int] = set()

    def read(self, index: Any) -> Any:
        """Return one item, and forget it if that was asked for."""
        index = _plain(index)
        if index < 0:
            raise OutOfRangeError(
                None, None, f"Reading from negative indices (index {index}) is not allowed."
            )
        if index >= len(self.items):
            raise OutOfRangeError(
                None,
                None,
                f"Tried to read from index {index} but array size is: {len(self.items)} ",
            )
        item = self.items[index]
        if item is None:
            if index in self.cleared:
                raise invalid(
                    f"Could not read index {index} twice because it was cleared after a previous "
                    "read (perhaps try setting clear_after_read = false?)"
                )
            item = self.filled(index)
        if self.clear:
            self.items[index] = None
            self.cleared.add(index)
        return item

    def write(self, index: Any, value: Any) -> None:
        """Put one item in its place."""
        index = _plain(index)
        if index < 0:
            raise OutOfRangeError(
                None, None, f"Writing to negative indices (index {index}) is not allowed."
            )
        size = len(self.items)
        if index >= size:
            if not self.dynamic:
                raise OutOfRangeError(
                    None,
                    None,
                    hint(
                        f"Tried to write to index {index} but array is not resizeable and size is: "
                        f"{size} ",
                        "make it with a larger size, or with dynamic_size=True",
                    ),
                )
            self.items.extend(None for _ in range(_possible(index + 1) - size))
        if type(value) is not EagerTensor:
            value = convert_to_tensor(value, dtype_hint=self.dtype)
        if value.dtype is not self.dtype:
            raise invalid(
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype "
                f"{value.dtype.name} "
            )
        if not self.element_shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Incompatible shape for value ({value.shape}), expected ({self.element_shape})"
            )
        if self.infer:
            self.element_shape = self.element_shape.merge_with(value.shape)
        self.items[index] = value

    def filled(self, index: int) -> Any:
        """Return an item; one that was never written is zeros of the shape of the others."""
        if self.items[index] is None:
            self.items[index] = zeros(self.element_shape, self.dtype)
        return self.items[index]

    def all(self) -> list[Any]:
        """Return every item, as the array's dtype."""
        found = [self.filled(index) for index in range(len(self.items))]
        return [one if one.dtype is self.dtype else cast(one, self.dtype) for one in found]


class TensorArray:
    """A list of tensors of one dtype, written and read item by item, stacked at the end.

    `write` and its like return the array to go on with: use what they return.
    """

    def __new__(cls, *_: object, **__: object) -> Any:
        """Make an array of the kind that ops are now: eager, or of a graph."""
        if cls is TensorArray and (flow := graph_flow()) is not None:
            return flow.TensorArray.__new__(flow.TensorArray)
        return object.__new__(cls)

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
        clear = clear_after_read is None or bool(clear_after_read)
        self._begin(
            Asked(
                as_dtype(dtype).base_dtype,
                size,
                bool(dynamic_size),
                clear,
                tensor_array_name or "",
                handle,
                flow,
                infer_shape,
                element_shape,
                name,
            )
        )

    def _begin(self, asked: Asked) -> None:
        """Make what the array stands for."""
        if asked.handle is not None:
            raise ValueError(
                "TensorArray handles are not supported when eager execution is enabled."
            )
        self._items = EagerItems(asked)

    def _next(self) -> TensorArray:
        made = object.__new__(type(self))
        made._items = self._items
        return made

    @property
    def _infers_shape(self) -> bool:
        return self._items.infer

    @property
    def _type_spec(self) -> Any:
        return lazy.TensorArraySpec.from_value(self)

    @property
    def dtype(self) -> Any:
        """The dtype of the items."""
        return self._items.dtype

    @property
    def dynamic_size(self) -> bool:
        """True if writing past the end makes the array grow."""
        return self._items.dynamic

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the items' shape."""
        return self._items.element_shape

    @property
    def handle(self) -> Any:
        """None: an eager array has no handle."""
        return None

    @property
    def flow(self) -> Any:
        """A zero: an eager array needs no flow to keep order."""
        return convert_to_tensor(0)

    def identity(self) -> TensorArray:
        """Return the same array."""
        return self._next()

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not there when executing eagerly: a gradient tape follows the items themselves."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient "
            "implementation does not use/need this function to compute gradients of operations "
            "that use TensorArrays."
        )

    def read(self, index: TensorLike, name: str | None = None) -> Any:
        """Return the item at `index`; by default it can be read once only."""
        return self._items.read(index)

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Return the array with `value` at `index`."""
        self._items.write(index, value)
        return self._next()

    def stack(self, name: str | None = None) -> Any:
        """Return all items as one tensor, along a new first dimension."""
        items = self._items.all()
        if items:
            return stack_tensors(items, name=name or "packed")
        inner = self.element_shape
        return zeros([0, *(inner.as_list() if inner.is_fully_defined() else ())], self.dtype)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the items at `indices` as one tensor."""
        return stack_tensors([self._items.filled(int(index)) for index in _plain(indices)])

    def concat(self, name: str | None = None) -> Any:
        """Return all items joined along their first dimension."""
        items = self._items.all()
        try:
            return concat_tensors(items, 0)
        except OpError:
            for index, item in enumerate(items):
                if item.shape.rank == 0:
                    raise invalid(
                        f"Concat saw a scalar shape at index {index} but requires at least vectors."
                    ) from None
            raise

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the slices of `value` along its first dimension as its items."""
        items = unstack_tensor(value)
        size = len(self._items.items)
        if len(items) > size and not self._items.dynamic:
            raise ValueError(
                f"Cannot unstack {len(items)} tensors into a TensorArray of static size {size} "
            )
        self._items.items = list(items)
        return self._next()

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the slices of `value` written at `indices`."""
        for index, item in zip(_plain(indices), unstack_tensor(value), strict=False):
            self._items.write(index, item)
        return self._next()

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Return the array with pieces of `value`, of these lengths, as its items."""
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        lengths = convert_to_tensor(lengths)
        if lengths.shape.rank != 1:
            raise invalid(
                f"Expected lengths to be a vector, received shape: {lengths.shape.as_list()} "
            )
        if value.shape.rank == 0:
            raise invalid(
                "Expected value to be at least a vector, but received shape: "
                f"{value.shape.as_list()} "
            )
        total, size = int(lengths.numpy().sum()), len(self._items.items)
        if total != value.shape[0]:
            raise invalid(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{total} and value's shape is: {value.shape.as_list()} "
            )
        if not self._items.dynamic and len(lengths) != size:
            raise invalid(
                f"TensorArray's size is not equal to the size of lengths ({size} vs. "
                f"{len(lengths)}), and the TensorArray is not marked as dynamically resizeable."
            )
        self._items.items = list(split_tensor(value, lengths))
        return self._next()

    def size(self, name: str | None = None) -> Any:
        """Return the number of items."""
        return convert_to_tensor(len(self._items.items))

    def close(self, name: str | None = None) -> None:
        """Drop all items."""
        self._items.items.clear()


TensorArray.__module__ = "tensorflow.python.ops.tensor_array_ops"
