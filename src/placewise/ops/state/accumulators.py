"""Accumulators: gradients from several workers, averaged once there are enough of them.

A gradient that was computed from an older step than the accumulator's is dropped.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import torch

from placewise.core.cancellation import waking
from placewise.core.dtypes import DType
from placewise.core.errors import CancelledError, DeadlineExceededError, invalid
from placewise.core.scope import current
from placewise.core.shapes import Static, TensorShape
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.values import Content, Handle


class Accumulator:
    """The sum of dense gradients, and of how many; the step they are for."""

    def __init__(self, shape: Any, reduction: str) -> None:
        if reduction not in ("MEAN", "SUM"):
            raise invalid(f"Value for attr 'reduction_type' of \"{reduction}\" is not MEAN or SUM")
        self.shape, self.takes_mean = TensorShape(shape), reduction == "MEAN"
        self.step = self.count = 0
        self.total: Any = None
        self.changed = threading.Condition()
        self._is_cancelled = False

    def set_step(self, step: int) -> None:
        """Take in which step is being computed; it never goes back."""
        with self.changed:
            self.step = max(self.step, step)

    def apply(self, step: int, gradient: Any) -> None:
        """Add a gradient, unless it is stale."""
        with self.changed:
            if step < self.step:
                return
            self._check(gradient)
            self._add(gradient)
            self.count += 1
            self.changed.notify_all()

    def take(self, required: int) -> Any:
        """Wait for so many gradients, and return what they come to; the next step begins."""
        if required < 1:
            raise invalid(f"Argument num_required must be positive, but got {required}")
        deadline = current.deadline  # set by a session whose run may not last
        cancellation = current.cancellation
        with waking(cancellation, self.changed), self.changed:
            while self.count < required:
                if cancellation is not None:
                    cancellation.check()
                if self._is_cancelled:
                    raise CancelledError(None, None, "TakeGrad operation was cancelled")
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    raise DeadlineExceededError(None, None, "Timed out waiting for notification")
                self.changed.wait(left)
            found = self._result()
            self.total, self.count = None, 0
            self.step += 1
            return found

    def cancel_waiting(self) -> None:
        """End all waits: nobody will bring anything any more."""
        with self.changed:
            self._is_cancelled = True
            self.changed.notify_all()

    def _check(self, gradient: Any) -> None:
        if not self.shape.is_compatible_with(tuple(gradient.shape)):
            raise invalid(
                f"Shape mismatch: expected {self.shape}, got {bracketed(tuple(gradient.shape))}"
            )

    def _add(self, gradient: torch.Tensor) -> None:
        if self.total is None:
            self.total = gradient.clone()
        elif self.total.shape != gradient.shape:
            raise invalid(
                f"Shape mismatch: expected {bracketed(tuple(self.total.shape))}, got "
                f"{bracketed(tuple(gradient.shape))}"
            )
        else:
            self.total = self.total + gradient

    def _result(self) -> Any:
        return self.total / self.count if self.takes_mean else self.total


class SparseAccumulator(Accumulator):
    """The sums of rows, each with how often it came."""

    def _check(self, gradient: Any) -> None:
        indices, values, _ = gradient
        if indices.ndim != 1:
            raise invalid(
                "Input indices should be vector but received shape: "
                + bracketed(tuple(indices.shape))
            )
        if not values.ndim or len(values) != len(indices):
            raise invalid(
                "Number of values must match number of indices: "
                f"{len(values) if values.ndim else 0} vs. {len(indices)}"
            )

    def _add(self, gradient: Any) -> None:
        indices, values, shape = gradient
        nothing: dict[int, tuple[Any, int]] = {}
        rows, whole = self.total or (nothing, shape)
        for index, value in zip(indices.tolist(), values, strict=True):
            known, count = rows.get(index, (None, 0))
            rows[index] = (value if known is None else known + value, count + 1)
        self.total = (rows, whole if len(whole) else shape)

    def _result(self) -> Any:
        rows, whole = self.total
        order = sorted(rows)
        values = [rows[k][0] / rows[k][1] if self.takes_mean else rows[k][0] for k in order]
        stacked = torch.stack(values) if values else torch.zeros(0)
        shape = np.asarray(whole, np.int64)
        if not len(shape) and values:
            shape = np.array([-1, *stacked.shape[1:]], np.int64)
        return torch.tensor(order, dtype=torch.int64), stacked, torch.from_numpy(shape.copy())


_MADE = (
    "(; dtype: type, shape: shape, container: string = '', shared_name: string = '',"
    " reduction_type: 'MEAN'|'SUM' = 'MEAN') -> handle: string"
)


def _making(name: str, kind: type[Accumulator], doc: str) -> Bind:
    made = define(
        f"{name}{_MADE}",
        refs=("handle",),
        stateful=True,
        devices=("CPU",),
        differentiable=False,
        doc=doc,
    )
    made.shape(lambda **_: (2,))

    def kernel(
        *, dtype: Any, shape: Any, container: str, shared_name: str, reduction_type: str
    ) -> Handle:
        handle = Handle(name, shared_name, None, dtype)
        handle.value = kind(shape, reduction_type)
        return handle

    made.kernel(kernel)
    return made


dense = _making("ConditionalAccumulator", Accumulator, "Make an accumulator of gradients.")
sparse = _making("SparseConditionalAccumulator", SparseAccumulator, "Make one of sparse gradients.")


def _using(signature: str, doc: str, **options: Any) -> Bind:
    return define(
        signature,
        refs=("handle",),
        stateful=True,
        devices=("CPU",),
        differentiable=False,
        doc=doc,
        **options,
    )


apply_dense = _using(
    "AccumulatorApplyGradient(handle: string, local_step: int64, gradient: dtype)",
    "Add a gradient.",
    host=("local_step",),
)
apply_dense.kernel(
    lambda handle, local_step, gradient: handle.value.apply(int(local_step), gradient)
)

apply_sparse = _using(
    "SparseAccumulatorApplyGradient(handle: string, local_step: int64, gradient_indices: int64,"
    " gradient_values: dtype, gradient_shape: int64; has_known_shape: bool)",
    "Add a sparse gradient.",
    host=("local_step", "gradient_shape"),
)


@apply_sparse.kernel
def apply_sparse_kernel(
    handle: Handle,
    local_step: np.ndarray[Any, Any],
    gradient_indices: torch.Tensor,
    gradient_values: Content,
    gradient_shape: np.ndarray[Any, Any],
    *,
    has_known_shape: bool,
) -> None:
    shape = gradient_shape.tolist() if has_known_shape else []
    handle.value.apply(int(local_step), (gradient_indices, gradient_values, shape))


count = _using(
    "AccumulatorNumAccumulated(handle: string) -> num_accumulated: int32",
    "Return how many gradients have come.",
)
count.shape(lambda handle: ())
count.kernel(lambda handle: torch.tensor(handle.value.count, dtype=torch.int32))

set_step = _using(
    "AccumulatorSetGlobalStep(handle: string, new_global_step: int64)",
    "Say which step is computed.",
    host=("new_global_step",),
)
set_step.kernel(lambda handle, new_global_step: handle.value.set_step(int(new_global_step)))

take_dense = _using(
    "AccumulatorTakeGradient(handle: string, num_required: int32; dtype: type) -> average: dtype",
    "Return the average of enough gradients.",
    host=("num_required",),
)


@take_dense.shape
def take_dense_shape(handle: Static, num_required: Static, *, dtype: DType) -> Any:
    return None


take_dense.kernel(lambda handle, num_required, *, dtype: handle.value.take(int(num_required)))

take_sparse = _using(
    "SparseAccumulatorTakeGradient(handle: string, num_required: int32; dtype: type)"
    " -> indices: int64, values: dtype, shape: int64",
    "Return the averages of enough sparse gradients.",
    host=("num_required",),
)
take_sparse.shape(lambda handle, num_required, *, dtype: [(None,), None, (None,)])
take_sparse.kernel(lambda handle, num_required, *, dtype: handle.value.take(int(num_required)))
