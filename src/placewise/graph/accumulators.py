"""`tf.ConditionalAccumulator` and its sparse sister: gradients gathered in a graph's state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype, int64
from placewise.core.shapes import TensorShape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.cast import cast
from placewise.ops.state import accumulators as ops


class ConditionalAccumulatorBase:
    """What accumulators share."""

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Any) -> None:
        self._dtype = as_dtype(dtype)
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.rpartition("/")[2]

    @property
    def accumulator_ref(self) -> Any:
        """The reference to the state."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the state."""
        name: str = self._name
        return name

    @property
    def dtype(self) -> Any:
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Any:
        """Return how many gradients have come since the last were taken."""
        return ops.count(self._accumulator_ref, name=name or f"{self._name}_NumAccumulated")

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        """Return an operation that sets the step; gradients of earlier steps are dropped."""
        return ops.set_step(
            self._accumulator_ref,
            cast(new_global_step, int64),
            name=name or f"{self._name}_SetGlobalStep",
        )


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Gathers dense gradients."""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        accumulator = ops.dense(
            dtype=dtype,
            shape=TensorShape(shape)._dims,
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, accumulator)

    def apply_grad(self, grad: TensorLike, local_step: Any = 0, name: str | None = None) -> Any:
        """Return an operation that adds a gradient, computed at a step."""
        tensor = convert_to_tensor(grad, self._dtype)
        tensor.shape.assert_is_compatible_with(self._shape)
        return ops.apply_dense(
            self._accumulator_ref,
            cast(local_step, int64),
            tensor,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return the average of the gradients, once there are so many; the next step begins."""
        result = ops.take_dense(
            self._accumulator_ref,
            num_required,
            dtype=self._dtype,
            name=name,
        )
        result.set_shape(self._shape)
        return result


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Gathers gradients of some rows."""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        accumulator = ops.sparse(
            dtype=dtype,
            shape=TensorShape(shape)._dims,
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, accumulator)

    def apply_indexed_slices_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Any:
        """Return an operation that adds the rows of an IndexedSlices."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: Sequence[Any],
        grad_values: Sequence[Any],
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Any:
        """Return an operation that adds rows, computed at a step."""
        whole = convert_to_tensor([], int64) if grad_shape is None else cast(grad_shape, int64)
        return ops.apply_sparse(
            self._accumulator_ref,
            cast(local_step, int64),
            cast(grad_indices, int64),
            convert_to_tensor(grad_values, self._dtype),
            whole,
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return (indices, averages, shape), once there are so many gradients."""
        return ops.take_sparse(
            self._accumulator_ref,
            num_required,
            dtype=self._dtype,
            name=name,
        )

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return the averages as an IndexedSlices, once there are so many gradients."""
        indices, values, shape = self.take_grad(num_required, name)
        if self._shape.rank is not None:
            values.set_shape([None, *self._shape.as_list()[1:]])
        return IndexedSlices(values, indices, shape)


for _kind in (ConditionalAccumulatorBase, ConditionalAccumulator, SparseConditionalAccumulator):
    _kind.__module__ = "tensorflow.python.ops.data_flow_ops"
