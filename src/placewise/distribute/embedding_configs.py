"""What describes embedding tables: sizes, combiners, and the settings of their optimizers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from placewise.core import dtypes
from placewise.core.shapes import TensorShape
from placewise.ops.initializers import Constant
from placewise.ops.random.normal import truncated_normal

_COMBINERS = ("mean", "sum", "sqrtn")


class Optimizer:
    """The settings of the optimizer of a table, and the variables it keeps beside the table."""

    _slots: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        learning_rate: float | Callable[[], float],
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., Any] | None = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        if slot_variable_creation_fn is not None and not callable(slot_variable_creation_fn):
            raise ValueError(
                "Argument `slot_variable_creation_fn` must be either None or a callable. "
                f"Received: {slot_variable_creation_fn}"
            )
        if not use_gradient_accumulation and clipvalue is not None:
            raise ValueError(
                "When `use_gradient_accumulation` is False, gradient clipping cannot be used and "
                f"`clipvalue` should be left as None. Received value {clipvalue} for argument "
                "`clipvalue`."
            )
        self.learning_rate = learning_rate
        self.use_gradient_accumulation = use_gradient_accumulation
        self.clip_weight_min, self.clip_weight_max = clip_weight_min, clip_weight_max
        if not isinstance(clipvalue, tuple):
            clipvalue = (None, None) if clipvalue is None else (-clipvalue, clipvalue)
        self.clip_gradient_min, self.clip_gradient_max = clipvalue
        self.weight_decay_factor = weight_decay_factor
        self.multiply_weight_decay_factor_by_learning_rate = (
            multiply_weight_decay_factor_by_learning_rate
        )
        self.slot_variable_creation_fn = slot_variable_creation_fn
        self.low_dimensional_packing_status = low_dimensional_packing_status

    def _slot_names(self) -> list[str]:
        return list(self._slots)

    def _slot_initializers(self) -> list[Any]:
        return [Constant(0.0) for _ in self._slots]

    def _create_slots(self, table: Any, variable_creator: Callable[..., Any]) -> dict[str, Any]:
        """Return the variables beside a table, by name."""
        names, initializers = self._slot_names(), self._slot_initializers()
        if self.slot_variable_creation_fn is not None:
            made: dict[str, Any] = self.slot_variable_creation_fn(table, names, initializers)
            return made
        pairs = zip(names, initializers, strict=True)
        return {name: variable_creator(name, initializer) for name, initializer in pairs}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *(repr(value) for value in vars(self).values())))


class SGD(Optimizer):
    """Gradient descent."""

    def __init__(
        self,
        learning_rate: float | Callable[[], float] = 0.01,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            None,
            clipvalue,
            low_dimensional_packing_status,
        )


class Adagrad(Optimizer):
    """Steps divided by the root of the squared gradients so far."""

    _slots = ("accumulators",)

    def __init__(
        self,
        learning_rate: float | Callable[[], float] = 0.001,
        initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., Any] | None = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        if initial_accumulator_value <= 0:
            raise ValueError(
                "Argument `initial_accumulator_value` must be a positive float. Received: "
                f"{initial_accumulator_value}"
            )
        self.initial_accumulator_value = initial_accumulator_value

    def _slot_initializers(self) -> list[Any]:
        return [Constant(self.initial_accumulator_value)]


class FTRL(Optimizer):
    """Follow the regularized leader."""

    _slots = ("accumulators", "linears")

    def __init__(
        self,
        learning_rate: float | Callable[[], float] = 0.001,
        learning_rate_power: float = -0.5,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        beta: float = 0.0,
        initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., Any] | None = None,
        clipvalue: Any = None,
        multiply_linear_by_learning_rate: bool = False,
        allow_zero_accumulator: bool = False,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        if initial_accumulator_value <= 0:
            raise ValueError(
                "Argument `initial_accumulator_value` must be a positive float. Received: "
                f"{initial_accumulator_value}"
            )
        self.learning_rate_power, self.beta = learning_rate_power, beta
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.initial_accumulator_value = initial_accumulator_value
        self.multiply_linear_by_learning_rate = multiply_linear_by_learning_rate
        self.allow_zero_accumulator = allow_zero_accumulator

    def _slot_initializers(self) -> list[Any]:
        return [Constant(self.initial_accumulator_value), Constant(0.0)]


class Adam(Optimizer):
    """Steps by running means of gradients and of their squares."""

    _slots = ("momenta", "velocities")

    def __init__(
        self,
        learning_rate: float | Callable[[], float] = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        lazy_adam: bool = True,
        sum_inside_sqrt: bool = True,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., Any] | None = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        for name, value in (("beta_1", beta_1), ("beta_2", beta_2)):
            if not 0.0 <= value < 1.0:
                raise ValueError(f"Argument `{name}` must be >= 0 and < 1. Received: {value}.")
        if epsilon <= 0.0:
            raise ValueError(f"epsilon must be positive; got {epsilon}.")
        if not self.use_gradient_accumulation and not lazy_adam:
            raise ValueError(
                "When disabling lazy Adam (`lazy_adam=False`), gradient accumulation must be "
                "used. Set `use_gradient_accumulation` to False."
            )
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.lazy_adam, self.sum_inside_sqrt = lazy_adam, sum_inside_sqrt


class TableConfig:
    """One embedding table: its size, first values, combiner and optimizer."""

    def __init__(
        self,
        vocabulary_size: int,
        dim: int,
        initializer: Callable[..., Any] | None = None,
        optimizer: Any = None,
        combiner: str = "mean",
        name: str | None = None,
        quantization_config: Any = None,
        layout: Any = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        _check_positive("vocabulary_size", "", vocabulary_size)
        _check_positive("dim", " (embedding dimension)", dim)
        if initializer is not None and not callable(initializer):
            raise ValueError(
                f"Argument `initializer` must be a callable (or None). Received: {initializer}"
            )
        if combiner not in _COMBINERS:
            raise ValueError(
                f"String argument `combiner` must be in {_COMBINERS}. Received: {combiner}"
            )
        self.vocabulary_size, self.dim = vocabulary_size, dim
        self.initializer = initializer or _truncated_normal(1 / math.sqrt(dim))
        self.optimizer, self.combiner, self.name = optimizer, combiner, name
        self.quantization_config, self.layout, self.dtype = quantization_config, layout, dtype

    def __repr__(self) -> str:
        return (
            f"TableConfig(vocabulary_size={self.vocabulary_size!r}, dim={self.dim!r}, "
            f"initializer={self.initializer!r}, optimizer={self.optimizer!r}, "
            f"combiner={self.combiner!r}, name={self.name!r}, "
            f"quantization_config={self.quantization_config!r})"
        )


def _truncated_normal(stddev: float) -> Callable[..., Any]:
    def initial(shape: Any, dtype: Any = dtypes.float32, **_: Any) -> Any:
        return truncated_normal(shape, 0.0, stddev, dtype)

    return initial


def _check_positive(name: str, what: str, value: Any) -> None:
    if not isinstance(value, int) or value < 1:
        raise ValueError(
            f"Argument `{name}`{what} must be an int and must be >= 1. Received: {value}"
        )


class FeatureConfig:
    """One feature: the table its ids are looked up in, and how."""

    def __init__(
        self,
        table: TableConfig,
        max_sequence_length: int = 0,
        validate_weights_and_indices: bool = True,
        output_shape: Any = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(table, TableConfig):
            raise ValueError(
                f"Argument `table` has invalid type {type(table)}. Expected "
                "`tf.tpu.experimental.embedding.TableConfig`."
            )
        if not isinstance(max_sequence_length, int) or max_sequence_length < 0:
            raise ValueError(
                "Argument `max_sequence_length` must be an int and must be >= 0. Received: "
                f"{max_sequence_length}"
            )
        if not isinstance(validate_weights_and_indices, bool):
            raise ValueError(
                "Argument `validate_weights_and_indices` must be a boolean. Received: "
                f"{validate_weights_and_indices}"
            )
        self.table, self.max_sequence_length, self.name = table, max_sequence_length, name
        self.validate_weights_and_indices = validate_weights_and_indices
        self.output_shape = TensorShape(output_shape)

    def __repr__(self) -> str:
        return (
            f"FeatureConfig(table={self.table!r}, "
            f"max_sequence_length={self.max_sequence_length!r}, "
            f"validate_weights_and_indices={self.validate_weights_and_indices!r}, "
            f"output_shape={self.output_shape!r}, name={self.name!r})"
        )
