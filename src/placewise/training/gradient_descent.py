"""`tf.train.GradientDescentOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.ops.math.arithmetic import multiply
from placewise.ops.state import reference
from placewise.ops.state import resource as resources
from placewise.training.rule_optimizer import RuleOptimizer, as_type
from placewise.training.targets import update_target


class GradientDescentOptimizer(RuleOptimizer):
    """Takes steps straight against the gradient."""

    _rule = "GradientDescent"
    _settings: ClassVar[dict[str, tuple[str, str]]] = {"alpha": ("learning_rate", "_learning_rate")}

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _step(self, grad: Any) -> Any:
        return multiply(grad, as_type(self._tensors["alpha"], grad.dtype.base_dtype), name="mul")

    # A row named twice is simply moved twice: nothing need be summed first.

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        return reference.scatter_sub(
            update_target(var), grad.indices, self._step(grad.values),
            use_locking=self._use_locking,
        )  # fmt: skip

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Any
    ) -> Any:
        return resources.scatter_add(handle.handle, indices, self._step(-grad))
