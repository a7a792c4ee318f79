"""`tf.train.AdagradOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.training.filled_slots import fill_slots
from placewise.training.rule_optimizer import RuleOptimizer


class AdagradOptimizer(RuleOptimizer):
    """Takes smaller steps where gradients have been large: over the root of their squares' sum."""

    _rule = "Adagrad"
    _slot_inputs: ClassVar[dict[str, str]] = {"accum": "accumulator"}
    _settings: ClassVar[dict[str, tuple[str, str]]] = {"lr": ("learning_rate", "_learning_rate")}

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            fill_slots(self, var, "accumulator", self._initial_accumulator_value)
