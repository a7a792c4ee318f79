"""`tf.train.GradientDescentOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.core.tensor import Tensor
from placewise.ops.state import reference
from placewise.ops.state import resource as resources
from placewise.training.rule_optimizer import RuleOptimizer, as_type
from placewise.training.update_target import update_target


class GradientDescentOptimizer(RuleOptimizer):
    """Trains with steps straight against the gradient.

    `learning_rate`: the size of a step, a number or a tensor.
    `use_locking`: TensorFlow's way to keep updates apart; here updates of a variable never overlap.

    `minimize(loss)` returns the operation of one step; `compute_gradients` and `apply_gradients`
    are its halves.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
    ...     train = tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(w * w)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(train)
    ...     session.run(w)
    np.float32(0.5)
    """

    _rule = "GradientDescent"
    _settings: ClassVar[dict[str, tuple[str, str]]] = {"alpha": ("learning_rate", "_learning_rate")}

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    # A row named twice is simply moved twice: nothing need be summed first.

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        step = grad.values * as_type(self._tensors["alpha"], var.dtype.base_dtype)
        return reference.scatter_sub(
            update_target(var), grad.indices, step, use_locking=self._use_locking
        )

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        rate = self._call_if_callable(self._learning_rate)
        if isinstance(rate, Tensor):
            rate = as_type(rate, grad.dtype.base_dtype)
        return resources.scatter_add(handle.handle, indices, -grad * rate)
