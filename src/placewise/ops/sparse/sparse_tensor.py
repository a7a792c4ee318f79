"""`tf.SparseTensor`: the values of a tensor that is mostly empty, and where they are."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.nest import Composite
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.values import EagerTensor, to_numpy

if TYPE_CHECKING:
    from placewise.ops.declare import Op


SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
SparseTensorValue.__module__ = "tensorflow.python.framework.sparse_tensor"


class SparseTensor(Composite):
    """`values[i]` stands at `indices[i]` in a tensor of `dense_shape`; all else is empty."""

    __slots__ = ("__dict__", "__weakref__", "_dense_shape", "_indices", "_static", "_values")

    __array_priority__ = 100
    is_native = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = convert_to_tensor(indices, dtypes.int64)
        self._values = convert_to_tensor(values)
        static = None
        if not _is_symbolic(dense_shape):
            if isinstance(dense_shape, TensorShape):
                static, dense_shape = dense_shape, [-1 if d is None else d for d in dense_shape]
            elif isinstance(dense_shape, (list, tuple)) and any(d is None for d in dense_shape):
                static = TensorShape(dense_shape)
                dense_shape = [-1 if d is None else d for d in dense_shape]
        self._dense_shape = convert_to_tensor(dense_shape, dtypes.int64)
        self._static = static
        self._check()

    def _check(self) -> None:
        i, v, d = (part._shape_tuple for part in (self._indices, self._values, self._dense_shape))
        is_plain = i and v and d and (len(i), len(v), len(d)) == (2, 1, 1) and None not in i
        if is_plain and i == v + d:
            return  # as nearly all are: what follows takes longer than some ops
        indices = self._indices.shape.with_rank(2)
        values = self._values.shape.with_rank(1)
        dense = self._dense_shape.shape.with_rank(1)
        indices.dims[0].assert_is_compatible_with(values.dims[0])
        indices.dims[1].assert_is_compatible_with(dense.dims[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Return a sparse tensor with the parts of another, or of a SparseTensorValue."""
        if isinstance(sparse_tensor_value, SparseTensor) or all(
            hasattr(sparse_tensor_value, each) for each in ("indices", "values", "dense_shape")
        ):
            value = sparse_tensor_value
            return cls(value.indices, value.values, value.dense_shape)
        raise TypeError(
            f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor "
            "SparseTensorValue."
        )

    @property
    def indices(self) -> Any:
        """The places: one row of int64 indices a value."""
        return self._indices

    @property
    def values(self) -> Any:
        """The values, as a vector."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole, as a vector of int64."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole, as far as it is known."""
        if self._static is not None:
            return self._static
        if isinstance(self._dense_shape, EagerTensor):
            dims = to_numpy(self._dense_shape._value).tolist()
            return TensorShape([None if d < 0 else d for d in dims])

        sizes = get_static_value(self._dense_shape)
        if sizes is not None:
            return TensorShape([None if d < 0 else d for d in sizes.tolist()])
        # `dense_shape=[rows, 3]`: what is known of it in part.
        parts = get_static_value(self._dense_shape, partial=True)
        if parts is not None:
            return TensorShape([None if d is None or d < 0 else int(d) for d in parts])
        count = self._dense_shape.shape[0]
        return TensorShape(None if count is None else [None] * count)

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Add what is known of the shape; it must agree with what is known already."""
        self._static = self.shape.merge_with(shape)

    @property
    def _shape_tuple(self) -> Any:
        shape = self.shape
        return None if shape.rank is None else tuple(shape.as_list())

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._values.dtype

    @property
    def op(self) -> Any:
        """The operation that makes the values (graphs only)."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the parts (graphs only)."""
        return self._indices.graph

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Return a sparse tensor with other values at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Return the parts' values in the given or the default session (graphs only)."""
        if isinstance(self._values, EagerTensor):
            return self._values.eval(feed_dict, session)
        chosen = session or self._values.graph.session_in_force()
        if chosen is None:
            return self._values.eval(feed_dict, session)  # says that there is no session
        return chosen.run(self, feed_dict)

    def consumers(self) -> Any:
        """Return the operations that use the parts (graphs only)."""
        return self._values.consumers()

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    @property
    def _type_spec(self) -> Any:
        return lazy.SparseTensorSpec(self.shape, self.dtype)

    def _components(self) -> list[Any]:
        return [self._indices, self._values, self._dense_shape]

    def _from_components(self, parts: list[Any]) -> SparseTensor:
        return SparseTensor(*parts)

    def _value_from_arrays(self, arrays: list[Any]) -> SparseTensorValue:
        """Return what a session gives for a sparse fetch."""
        return SparseTensorValue(*arrays)

    def _run_op(self, op: Op, inputs: TensorLike, attrs: dict[str, Any], name: str | None) -> Any:
        return lazy.sparse_run(op, inputs, attrs, name)

    def __mul__(self, other: Tensor) -> SparseTensor:
        product: SparseTensor = lazy.multiply_dense(self, other)
        return product

    __rmul__ = __mul__

    def __truediv__(self, other: Tensor) -> SparseTensor:
        quotient: SparseTensor = lazy.divide_dense(self, other)
        return quotient

    __div__ = __truediv__


SparseTensor.__module__ = "tensorflow.python.framework.sparse_tensor"


def _is_symbolic(value: TensorLike) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def as_sparse(value: Any) -> SparseTensor:
    """Return a sparse tensor as it is, or one of a SparseTensorValue; TypeError for the rest."""
    if isinstance(value, SparseTensor):
        return value
    if type(value).__name__ == "SparseTensorValue":
        return SparseTensor.from_value(value)
    raise TypeError("Input must be a SparseTensor.")


def is_sparse(value: Any) -> bool:
    """Return True for a sparse tensor or its value."""
    return isinstance(value, SparseTensor) or type(value).__name__ == "SparseTensorValue"
