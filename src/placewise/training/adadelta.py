"""`tf.train.AdadeltaOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.training.rule_optimizer import RuleOptimizer


class AdadeltaOptimizer(RuleOptimizer):
    """Scales gradients by running means of squared updates over those of squared gradients."""

    _rule = "Adadelta"
    _slot_inputs: ClassVar[dict[str, str]] = {"accum": "accum", "accum_update": "accum_update"}
    _settings: ClassVar[dict[str, tuple[str, str]]] = {
        "lr": ("lr", "_lr"),
        "rho": ("rho", "_rho"),
        "epsilon": ("epsilon", "_epsilon"),
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon
