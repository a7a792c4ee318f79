"""Slices of a larger tensor: what the gradient of a gather is."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from placewise.core.nest import Composite
from placewise.core.shapes import TensorShape
from placewise.ops import lazy

IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
IndexedSlicesValue.__module__ = "tensorflow.python.framework.indexed_slices"


class IndexedSlices(Composite):
    """`values[i]` belongs to row `indices[i]` of a tensor of `dense_shape`; rows may repeat."""

    __slots__ = ("_dense_shape", "_given", "_indices", "_values")
    is_native = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        from placewise.ops.convert import convert_to_tensor  # noqa: PLC0415 - keeps torch out

        # As it was given: a variable of another dtype converts an array, and refuses a tensor.
        self._given = values
        self._values = convert_to_tensor(values)
        self._indices = convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def values(self) -> Any:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Any:
        """Which row each slice belongs to."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, as a tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        if hasattr(self._dense_shape, "numpy"):
            return TensorShape(self._dense_shape.numpy().tolist())
        made = self._dense_shape.op
        if made.type == "Const":
            return TensorShape(made.attrs["value"].tolist())
        length = self._dense_shape._shape_tuple  # in a graph the rank may be known
        rank = length[0] if length else None
        return TensorShape(None if rank is None else [None] * rank)

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """The device of the values."""
        device: str = self._values.device
        return device

    def _components(self) -> list[Any]:
        parts = [self._values, self._indices]
        return parts if self._dense_shape is None else [*parts, self._dense_shape]

    def _value_from_arrays(self, arrays: list[Any]) -> IndexedSlicesValue:
        """Return what a session gives for a fetch of slices."""
        return IndexedSlicesValue(*arrays, *[None] * (3 - len(arrays)))

    def _from_components(self, parts: list[Any]) -> IndexedSlices:
        return IndexedSlices(*parts)

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return to_dense(self)


IndexedSlices.__module__ = "tensorflow.python.framework.indexed_slices"


def to_dense(slices: IndexedSlices) -> Any:
    """Return the whole tensor: rows summed where they repeat, zero where there is none."""
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices for argument without dense_shape: "
            f"{slices}"
        )
    return lazy.unsorted_segment_sum(slices.values, slices.indices, slices.dense_shape[0])


def joined(several: list[IndexedSlices]) -> IndexedSlices:
    """Return the sum of slices of one tensor: all of them, one after the other."""
    from placewise.ops.array.concat import concat  # noqa: PLC0415 - keeps torch out

    return IndexedSlices(
        concat([each.values for each in several], 0),
        concat([each.indices for each in several], 0),
        several[0].dense_shape,
    )
