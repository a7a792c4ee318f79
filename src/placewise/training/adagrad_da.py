"""`tf.train.AdagradDAOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.graph.constants import constant
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.training.rule_optimizer import RuleOptimizer
from placewise.training.slots import beside, is_eager


class AdagradDAOptimizer(RuleOptimizer):
    """Adagrad with dual averaging: variables are made anew from the sum of all gradients."""

    _rule = "AdagradDA"
    _slot_inputs: ClassVar[dict[str, str]] = {
        "gradient_accumulator": "gradient_accumulator",
        "gradient_squared_accumulator": "gradient_squared_accumulator",
    }
    _settings: ClassVar[dict[str, tuple[str, str]]] = {"lr": ("learning_rate", "_learning_rate")}

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        start = initial_gradient_squared_accumulator_value
        if start <= 0.0:
            raise ValueError(
                f"initial_gradient_squared_accumulator_value must be positive: {start}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial_gradient_squared_accumulator_value = start
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list: list[Any]) -> None:
        squares = self._initial_gradient_squared_accumulator_value
        for var in var_list:
            with beside(var):
                dims, dtype = var.get_shape().as_list(), var.dtype.base_dtype
                nothing = constant(0.0, dtype, dims)
                start = constant(squares, dtype, dims)
            self._get_or_make_slot(var, nothing, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, start, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        if is_eager():
            self._step = convert_to_tensor(self._global_step) + 1
            return
        with get_default_graph().colocate_with(self._tensors["lr"].op):
            # The first step counts as one.
            self._step = identity(convert_to_tensor(self._global_step)) + 1

    def _inputs(self, var: Any, dtype: DType) -> dict[str, Any]:
        step = self._step
        return {
            **super()._inputs(var, dtype),
            "l1": cast(self._l1, dtype),
            "l2": cast(self._l2, dtype),
            "global_step": step if step.dtype is dtypes.int64 else cast(step, dtypes.int64),
        }
