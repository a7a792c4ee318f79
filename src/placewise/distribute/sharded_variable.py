"""`ShardedVariable`: a variable in parts along its first axis, each on a device of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from placewise.core.shapes import TensorShape
from placewise.core.trackable import Trackable
from placewise.ops.array.concat import concat
from placewise.ops.array.indexing import getitem
from placewise.ops.convert import convert_to_tensor
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

    # Checkpoints have it as one value.

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": convert_to_tensor(self)}

    def _restore_from_tensors(self, restored: dict[str, Any]) -> None:
        self.assign(restored["VARIABLE_VALUE"])


install(
    ShardedVariable, skip=("__getitem__", "__eq__", "__ne__", "__hash__", "__iter__", "__bool__")
)
ShardedVariable.__module__ = "tensorflow.python.distribute.sharded_variable"
