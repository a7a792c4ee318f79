"""`tf.train.RMSPropOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.graph.constants import ones
from placewise.training.rule_optimizer import RuleOptimizer


class RMSPropOptimizer(RuleOptimizer):
    """Trains with gradients divided by the root of the running mean of their squares.

    `learning_rate`: the size of a step, a number or a tensor.
    `decay`: how much of the mean each step keeps.
    `momentum`: how much of the last step is taken again.
    `epsilon`: added to the mean, against division by 0.
    `use_locking`: TensorFlow's way to keep updates apart; here updates of a variable never overlap.
    `centered`: divide by the variance instead of the mean square, which takes one more slot.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
    ...     train = tf.compat.v1.train.RMSPropOptimizer(0.1).minimize(w * w)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(train)
    ...     bool(session.run(w) < 1)
    True
    """

    _settings: ClassVar[dict[str, tuple[str, str]]] = {
        "lr": ("learning_rate", "_learning_rate"),
        "rho": ("decay", "_decay"),
        "momentum": ("momentum", "_momentum"),
        "epsilon": ("epsilon", "_epsilon"),
    }

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon = momentum, epsilon
        self._centered = centered
        self._rule = "CenteredRMSProp" if centered else "RMSProp"
        mean = {"mg": "mg"} if centered else {}
        self._slot_inputs = {**mean, "ms": "rms", "mom": "momentum"}  # type: ignore[misc]

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dims = var.get_shape()
            self._get_or_make_slot_with_initializer(
                var,
                lambda shape, dtype: ones(shape, dtype),
                dims,
                var.dtype.base_dtype,
                "rms",
                self._name,
            )
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)
