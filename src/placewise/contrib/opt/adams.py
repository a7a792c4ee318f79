"""Adam's relatives: `NadamOptimizer` and `LazyAdamOptimizer` of tf.contrib.opt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.tensor import Tensor
from placewise.ops.array.gather import gather
from placewise.ops.flow.order import group
from placewise.ops.math.exponential import sqrt
from placewise.training.adam import AdamOptimizer
from placewise.training.slots import is_eager


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves rows without a gradient alone: their running means do not decay."""

    def _apply_sparse_shared(
        self, grad: Tensor, var: Any, indices: Tensor, scatter_add: Callable[..., Any]
    ) -> Any:
        given = self._inputs(var, grad.dtype.base_dtype)
        rate = given["lr"] * sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        m, m_added = _row_mean(self.get_slot(var, "m"), indices, grad, given["beta1"])
        v, v_added = _row_mean(self.get_slot(var, "v"), indices, grad * grad, given["beta2"])
        step = -rate * m / (sqrt(v) + given["epsilon"])
        return _together(
            scatter_add(self.get_slot(var, "m"), indices, m_added),
            scatter_add(self.get_slot(var, "v"), indices, v_added),
            scatter_add(var, indices, step),
        )


class NadamOptimizer(AdamOptimizer):
    """Adam whose mean looks one step ahead, as Nesterov's momentum does."""

    def _options(self) -> dict[str, Any]:
        return {"use_nesterov": True}

    def _apply_sparse_shared(
        self, grad: Tensor, var: Any, indices: Tensor, scatter_add: Callable[..., Any]
    ) -> Any:
        given = self._inputs(var, grad.dtype.base_dtype)
        rate = given["lr"] * sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        scaled = grad * (1 - given["beta1"])
        m = self._decayed(var, "m", scaled, given["beta1"], indices, scatter_add)
        squared = (grad * grad) * (1 - given["beta2"])
        v = self._decayed(var, "v", squared, given["beta2"], indices, scatter_add)
        ahead = scaled + given["beta1"] * gather(m, indices)
        step = -rate * ahead / (sqrt(gather(v, indices)) + given["epsilon"])
        return _together(m, v, scatter_add(var, indices, step))


def _row_mean(slot: Any, indices: Tensor, value: Tensor, beta: Tensor) -> tuple[Any, Any]:
    """Return the new running means of some rows, and what is added to the old ones."""
    before = gather(slot.value(), indices)
    mean = beta * before + (1 - beta) * value
    return mean, mean - before


def _together(*updates: Any) -> Any:
    return None if is_eager() else group(*updates)
