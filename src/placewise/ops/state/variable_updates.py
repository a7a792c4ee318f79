"""How a variable is changed: as a whole, by rows, and by places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.ops.array.indexing import spec_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.state import resource as ops
from placewise.ops.state import scatter
from placewise.ops.state.parts import resource_strided_slice_assign
from placewise.ops.state.scatter import batch_rows, count_up_to


class VariableUpdates:
    """The methods of `tf.Variable` that change it; they return the variable, to be read again."""

    _dtype: Any
    _handle: Any
    name: Any
    _shape: Any
    _unread: Any

    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Give the variable a new value; returns it, or None when `read_value` is False."""
        tensor = convert_to_tensor(value, self._dtype)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                hint(
                    f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                    f"The variable shape {self._shape}, and the assigned value shape "
                    f"{tensor.shape} "
                    "are incompatible.",
                    "reshape the value, or make the variable with shape=tf.TensorShape(None)",
                )
            )
        # A shape that is not known yet is checked when the value is there.
        doubt = self._shape.is_fully_defined() and not tensor.shape.is_fully_defined()
        made = ops.assign_variable(self._handle, tensor, validate_shape=doubt, name=name)
        return self._unread(made) if read_value else made

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: Any = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add `delta`, which has the variable's shape."""
        made = ops.assign_add_variable(self._handle, convert_to_tensor(delta, self._dtype), name)
        return self._unread(made) if read_value else made

    def assign_sub(
        self, delta: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract `delta`, which has the variable's shape."""
        made = ops.assign_sub_variable(self._handle, convert_to_tensor(delta, self._dtype), name)
        return self._unread(made) if read_value else made

    def load(self, value: Any, session: Any = None) -> None:
        """Give the variable a new value."""
        self.assign(value)

    def _scatter(self, update: Callable[..., Any], slices: IndexedSlices, name: str | None) -> Any:
        if not isinstance(slices, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices}"
            )
        values = convert_to_tensor(slices._given, self._dtype)
        return self._unread(update(self._handle, slices.indices, values, name))

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Add slices to rows."""
        return self._scatter(ops.scatter_add, sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Subtract slices from rows."""
        return self._scatter(ops.scatter_sub, sparse_delta, name)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Replace rows by slices."""
        return self._scatter(ops.scatter_update, sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Multiply rows by slices."""
        return self._scatter(ops.scatter_mul, sparse_delta, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Divide rows by slices."""
        return self._scatter(ops.scatter_div, sparse_delta, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Keep the smaller of rows and slices."""
        return self._scatter(ops.scatter_min, sparse_delta, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Keep the larger of rows and slices."""
        return self._scatter(ops.scatter_max, sparse_delta, name)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Replace slices of every batch entry."""
        indices, updates = convert_to_tensor(sparse_delta.indices), sparse_delta._given
        return self.scatter_nd_update(batch_rows(indices), updates, name)

    def _scatter_nd(
        self, function: str, indices: list[Any], updates: TensorLike, name: str | None
    ) -> Any:
        update = getattr(scatter, function)
        new = convert_to_tensor(updates, self._dtype)
        return self._unread(update(self._handle, indices, new, name=name))

    def scatter_nd_add(
        self, indices: list[Any], updates: TensorLike, name: str | None = None
    ) -> Any:
        """Add `updates` to the slices that `indices` names."""
        return self._scatter_nd("scatter_nd_add", indices, updates, name)

    def scatter_nd_sub(
        self, indices: list[Any], updates: TensorLike, name: str | None = None
    ) -> Any:
        """Subtract `updates` from the slices that `indices` names."""
        return self._scatter_nd("scatter_nd_sub", indices, updates, name)

    def scatter_nd_update(self, indices: Any, updates: TensorLike, name: str | None = None) -> Any:
        """Replace the slices that `indices` names by `updates`."""
        return self._scatter_nd("scatter_nd_update", indices, updates, name)

    def scatter_nd_max(
        self, indices: list[Any], updates: TensorLike, name: str | None = None
    ) -> Any:
        """Keep the larger of `updates` and the slices that `indices` names."""
        return self._scatter_nd("scatter_nd_max", indices, updates, name)

    def scatter_nd_min(
        self, indices: list[Any], updates: TensorLike, name: str | None = None
    ) -> Any:
        """Keep the smaller of `updates` and the slices that `indices` names."""
        return self._scatter_nd("scatter_nd_min", indices, updates, name)

    def count_up_to(self, limit: int) -> Any:
        """Return the value, then add one; OutOfRangeError at `limit`."""
        return count_up_to(self._handle, limit=limit, T=self._dtype)


class SliceAssign:
    """`v[key].assign`: changes that part of the variable."""

    __slots__ = ("_key", "_variable")

    def __init__(self, variable: Any, key: Any) -> None:
        self._variable, self._key = variable, key

    def __call__(self, value: Any, name: str | None = None, read_value: bool = True) -> Any:
        variable = self._variable
        new = convert_to_tensor(value, variable._dtype)
        begin, end, strides, masks = spec_of(self._key)
        made = resource_strided_slice_assign(
            variable._handle, begin, end, strides, new, **masks._asdict(), name=name
        )
        return variable._unread(made) if read_value else made
