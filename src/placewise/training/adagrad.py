"""`tf.train.AdagradOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.graph.constants import constant
from placewise.ops.array.creation import fill
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.training.rule_optimizer import RuleOptimizer
from placewise.training.slots import beside


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
        start = self._initial_accumulator_value
        for var in var_list:
            dtype, dims = var.dtype.base_dtype, var.get_shape()
            if dims.is_fully_defined():
                self._get_or_make_slot_with_initializer(
                    var,
                    lambda shape, dtype: constant(start, dtype, shape),
                    dims,
                    dtype,
                    "accumulator",
                    self._name,
                )
                continue
            with beside(var):
                filled = fill(shape(convert_to_tensor(var.initialized_value())), cast(start, dtype))
            self._get_or_make_slot(var, filled, "accumulator", self._name)
