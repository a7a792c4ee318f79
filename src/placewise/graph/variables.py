"""Reference variables of TensorFlow 1, the default kind there; and where all kinds are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.resource_variables import ResourceVariable as ResourceVariable
from placewise.graph.safe_initial_value import guarded
from placewise.graph.updates import batch_scatter_update
from placewise.graph.variable import VariableV1
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state import parts, reference

if TYPE_CHECKING:
    from placewise.graph.operation import Operation
    from placewise.ops.indexed_slices import IndexedSlices


class RefVariable(VariableV1):
    """A variable whose ops take a reference to it."""

    def _make(
        self,
        initial_value: Any,
        dtype: DType | None,
        validate: bool,
        shape: Any,
        caching_device: Callable[..., Any] | None,
    ) -> None:
        graph = self._graph
        if callable(initial_value):
            with self._beside_itself():
                with self._initializer_scope():
                    value = convert_to_tensor(initial_value(), dtype, name="initial_value")
                self._hold(value, validate, shape)
        else:
            value = convert_to_tensor(initial_value, dtype, name="initial_value")
            self._hold(value, validate, shape)
        self._initial_value = value
        if validate and not value.shape.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {value}")

        self._initializer = reference.assign(
            self._holder, guarded(value, self._node), validate_shape=validate, name="Assign"
        ).op
        if caching_device is not None:
            with graph.device(caching_device):
                self._read = identity(self._holder, name="read")
        else:
            with graph.colocate_with(self._holder.op):
                self._read = identity(self._holder, name="read")

    def _hold(self, value: Tensor, validate: bool, shape: Any) -> None:
        if shape is not None:
            self._shape = TensorShape(shape)
        else:
            self._shape = value.shape if validate else TensorShape(None)
        self._holder = reference.variable(
            shape=self._shape._dims, dtype=value.dtype.base_dtype, name=self._node + "/"
        )

    def value(self) -> Any:
        """Return the value as a tensor."""
        return self._read

    def read_value(self) -> Any:
        """Return the value as a tensor that is read anew."""
        return identity(self._holder, name="read")

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Not possible: only variables with a handle have it."""
        raise AttributeError

    def _changed(
        self, update: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        read_value = options.pop("read_value", True)
        updated = update(self._holder, *values, **options)
        return updated if read_value else updated.op

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the reference after giving the variable a value, or the operation that does."""
        return self._changed(
            reference.assign,
            (value,),
            {"use_locking": use_locking, "name": name, "read_value": read_value},
        )

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Return the reference after adding `delta`, or the operation that adds it."""
        return self._changed(
            reference.assign_add,
            (delta,),
            {"use_locking": use_locking, "name": name, "read_value": read_value},
        )

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Return the reference after subtracting `delta`, or the operation that does."""
        return self._changed(
            reference.assign_sub,
            (delta,),
            {"use_locking": use_locking, "name": name, "read_value": read_value},
        )

    def _scatter(
        self, update: Callable[..., Any], slices: IndexedSlices, use_locking: bool, name: str | None
    ) -> Any:
        return update(
            self._holder, slices.indices, slices.values, use_locking=use_locking, name=name
        )

    def _scatter_nd(
        self, kind: str, indices: list[Any], updates: list[Any], name: str | None
    ) -> Any:
        update = getattr(reference, f"scatter_nd_{kind}")
        return update(self._holder, indices, updates, use_locking=True, name=name)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Return the reference after replacing rows in every batch entry."""
        return batch_scatter_update(
            self, sparse_delta.indices, sparse_delta.values, use_locking, name
        )

    def count_up_to(self, limit: int) -> Any:
        """Return the value before one is added; OutOfRangeError at `limit`."""
        return parts.count_up_to(self._holder, limit=limit)

    def _assign_part(self, op: Operation, value: Any, name: str | None) -> Any:
        return parts.strided_slice_assign(
            self._holder, *op.spread[1:], value, **op.attrs, name=name
        )


def _on_rows(update: Callable[..., Any]) -> Any:
    def rows(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return self._scatter(update, sparse_delta, use_locking, name)

    return rows


def _on_slices(kind: str) -> Any:
    def slices(self: Any, indices: list[Any], updates: list[Any], name: str | None = None) -> Any:
        return self._scatter_nd(kind, indices, updates, name)

    return slices


def _add_scatters() -> None:
    """Give reference variables the methods that change rows: they differ in one op only."""
    for kind, what in (
        ("add", "adding"),
        ("sub", "subtracting"),
        ("update", "putting in"),
        ("mul", "multiplying by"),
        ("div", "dividing by"),
        ("min", "taking the smaller of them and"),
        ("max", "taking the larger of them and"),
    ):
        rows = _on_rows(getattr(reference, f"scatter_{kind}"))
        rows.__name__ = f"scatter_{kind}"
        rows.__doc__ = f"Return the reference after {what} slices."
        setattr(RefVariable, rows.__name__, rows)
    for kind in ("add", "sub", "update"):
        slices = _on_slices(kind)
        slices.__name__ = f"scatter_nd_{kind}"
        slices.__doc__ = "Return the reference after changing the slices that `indices` names."
        setattr(RefVariable, slices.__name__, slices)


_add_scatters()
RefVariable.__module__ = "tensorflow.python.ops.variables"
