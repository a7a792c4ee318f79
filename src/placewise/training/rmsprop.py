"""`tf.train.RMSPropOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.graph.constants import ones
from placewise.training.rule_optimizer import RuleOptimizer


class RMSPropOptimizer(RuleOptimizer):
    """Divides gradients by the root of the running mean of their squares (`centered`: variance)."""

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
