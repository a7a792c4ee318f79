"""`ShardedVariable`: a variable in parts along its first axis, each on a device of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from placewise.core.dtypes import bool as bool_type
from placewise.core.shapes import TensorShape
from placewise.core.trackable import Trackable
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import ones_like
from placewise.ops.array.indexing import getitem
from placewise.ops.array.where import boolean_mask
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.logic import logical_and
from placewise.ops.nn.embedding import embedding_lookup
from placewise.ops.operators import install


class ShardedVariable(Trackable):
    """Stands for its parts, in order. Reading it puts them together."""

    def __init__(self, variables: Sequence[Any], name: str = "ShardedVariable") -> None:
        if not variables:
            raise ValueError("A ShardedVariable needs at least one variable.")
        kinds = {variable.dtype for variable in variables}
        if len(kinds) > 1:
            raise ValueError(f"All parts must have the same dtype, got {sorted(map(str, kinds))}")
        self._variables = list(variables)
        self._name = name
        self._offsets = np.cumsum([0, *(int(part.shape[0]) for part in variables)]).tolist()

    @property
    def variables(self) -> list[Any]:
        """The parts."""
        return self._variables

    @property
    def _variable_list(self) -> list[Any]:
        return self._variables  # tf.nn.embedding_lookup reads rows where they are

    @property
    def name(self) -> str:
        """The name that the parts' names begin with."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._variables[0].dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of all parts together."""
        return TensorShape([self._offsets[-1], *self._variables[0].shape[1:]])

    @property
    def trainable(self) -> bool:
        """Do gradient tapes follow the parts?"""
        return bool(self._variables[0].trainable)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    # Reading.

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        whole = concat([convert_to_tensor(part) for part in self._variables], 0)
        return convert_to_tensor(whole, dtype, name)

    def numpy(self) -> Any:
        """Return all parts as one array."""
        return np.concatenate([part.numpy() for part in self._variables])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __getitem__(self, key: Any) -> Any:
        first = key[0] if isinstance(key, tuple) else key
        if isinstance(first, int):
            row = first + self._offsets[-1] if first < 0 else first
            for part, begin, end in self._with_rows():
                if begin <= row < end:
                    rest = key[1:] if isinstance(key, tuple) else ()
                    return getitem(convert_to_tensor(part), (row - begin, *rest))
        return getitem(convert_to_tensor(self), key)

    def _with_rows(self) -> Iterator[tuple[Any, int, int]]:
        return iter(zip(self._variables, self._offsets[:-1], self._offsets[1:], strict=True))

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return the rows of some indices."""
        return embedding_lookup(self, indices, name=name)

    # Writing.

    def _each(self, method: str, value: Any) -> ShardedVariable:
        whole = convert_to_tensor(value, self.dtype)
        if not whole.shape.is_compatible_with(self.shape):
            raise ValueError(f"The value has shape {whole.shape}, the variable {self.shape}.")
        for part, begin, end in self._with_rows():
            getattr(part, method)(whole[begin:end])
        return self

    def assign(
        self, value: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> ShardedVariable:
        """Set all parts from a value of the whole shape."""
        return self._each("assign", value)

    def assign_add(
        self, delta: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> ShardedVariable:
        """Add a value of the whole shape."""
        return self._each("assign_add", delta)

    def assign_sub(
        self, delta: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> ShardedVariable:
        """Subtract a value of the whole shape."""
        return self._each("assign_sub", delta)

    def _scatter(self, method: str, slices: Any, name: str | None) -> ShardedVariable:
        """Change rows, each in the part that has it."""
        rows, values = slices.indices, slices.values
        for number, (part, begin, end) in enumerate(self._with_rows()):
            # A row that no part has goes to the first or last one, which says that it is none.
            low = begin if number else None
            high = end if number + 1 < len(self._variables) else None
            is_here = _within(rows, low, high)
            own = IndexedSlices(boolean_mask(values, is_here), boolean_mask(rows, is_here) - begin)
            getattr(part, method)(own, name=name)
        return self

    # Checkpoints have it as one value.

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": convert_to_tensor(self)}

    def _restore_from_tensors(self, restored: dict[str, Any]) -> None:
        self.assign(restored["VARIABLE_VALUE"])


def _within(rows: Any, low: int | None, high: int | None) -> Any:
    is_here = ones_like(rows, bool_type)
    if low is not None:
        is_here = logical_and(is_here, rows >= low)
    if high is not None:
        is_here = logical_and(is_here, rows < high)
    return is_here


def _scattering(method: str, does: str) -> Any:
    def scatter(
        self: ShardedVariable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> ShardedVariable:
        del use_locking
        return self._scatter(method, sparse_delta, name)

    scatter.__name__, scatter.__qualname__ = method, f"ShardedVariable.{method}"
    scatter.__doc__ = f"{does} rows, by the indices of IndexedSlices; return the variable."
    return scatter


for _method, _does in {
    "scatter_add": "Add to",
    "scatter_sub": "Subtract from",
    "scatter_mul": "Multiply",
    "scatter_div": "Divide",
    "scatter_max": "Take the larger values of",
    "scatter_min": "Take the smaller values of",
    "scatter_update": "Set",
    "batch_scatter_update": "Set",
}.items():
    setattr(ShardedVariable, _method, _scattering(_method, _does))

install(
    ShardedVariable, skip=("__getitem__", "__eq__", "__ne__", "__hash__", "__iter__", "__bool__")
)
ShardedVariable.__module__ = "tensorflow.python.distribute.sharded_variable"
