"""`tf.train.MomentumOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.training.rule_optimizer import RuleOptimizer


class MomentumOptimizer(RuleOptimizer):
    """Follows a decaying sum of the gradients, or with `use_nesterov` looks one step ahead."""

    _rule = "Momentum"
    _slot_inputs: ClassVar[dict[str, str]] = {"accum": "momentum"}
    _settings: ClassVar[dict[str, tuple[str, str]]] = {
        "lr": ("learning_rate", "_learning_rate"),
        "momentum": ("momentum", "_momentum"),
    }

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _options(self) -> dict[str, Any]:
        return {"use_nesterov": self._use_nesterov}
