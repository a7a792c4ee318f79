"""`tf.train.FtrlOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.training.rule_optimizer import RuleOptimizer
from placewise.training.slots import filled

_SETTINGS = {
    "lr": ("learning_rate", "_learning_rate"),
    "l1": ("l1_regularization_strength", "_l1"),
    "l2": ("l2_regularization_strength", "_l2"),
    "l2_shrinkage": ("l2_shrinkage_regularization_strength", "_l2_shrinkage"),
    "lr_power": ("learning_rate_power", "_learning_rate_power"),
}


class FtrlOptimizer(RuleOptimizer):
    """Follows the regularised leader: many weights become exactly zero."""

    _slot_inputs: ClassVar[dict[str, str]] = {"accum": "accum", "linear": "linear"}
    _settings: ClassVar[dict[str, tuple[str, str]]] = _SETTINGS

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        _check_sign("initial_accumulator_value", initial_accumulator_value)
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        _check_sign("l1_regularization_strength", l1_regularization_strength)
        _check_sign("l2_regularization_strength", l2_regularization_strength)
        _check_sign("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)
        self._learning_rate, self._learning_rate_power = learning_rate, learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        if beta:
            # The paper's beta makes every step shorter, which is a pull towards zero.
            self._l2 = l2_regularization_strength + beta / (2.0 * learning_rate)
        self._l2_shrinkage = l2_shrinkage_regularization_strength
        self._accum_name, self._linear_name = accum_name, linear_name
        self._rule = "FtrlV2" if l2_shrinkage_regularization_strength > 0.0 else "Ftrl"

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            start = filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, start, "accum", self._accum_name or self._name)
            self._zeros_slot(var, "linear", self._linear_name or self._name)


def _check_sign(name: str, value: float) -> None:
    if value < 0.0:
        raise ValueError(f"{name} {value:f} needs to be positive or zero")
