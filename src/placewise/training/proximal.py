"""`tf.train.ProximalGradientDescentOptimizer` and `ProximalAdagradOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.training.rule_optimizer import RuleOptimizer
from placewise.training.slots import filled

_SHRINKING = {
    "l1": ("l1_regularization_strength", "_l1_regularization_strength"),
    "l2": ("l2_regularization_strength", "_l2_regularization_strength"),
}


class ProximalGradientDescentOptimizer(RuleOptimizer):
    """Takes steps against the gradient, then pulls variables towards zero."""

    _rule = "ProximalGradientDescent"
    _settings: ClassVar[dict[str, tuple[str, str]]] = {
        "alpha": ("learning_rate", "_learning_rate"),
        **_SHRINKING,
    }

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength


class ProximalAdagradOptimizer(RuleOptimizer):
    """Takes steps of Adagrad, then pulls variables towards zero."""

    _rule = "ProximalAdagrad"
    _slot_inputs: ClassVar[dict[str, str]] = {"accum": "accumulator"}
    _settings: ClassVar[dict[str, tuple[str, str]]] = {
        "lr": ("learning_rate", "_learning_rate"),
        **_SHRINKING,
    }

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            start = filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, start, "accumulator", self._name)
