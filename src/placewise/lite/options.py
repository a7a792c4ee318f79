"""What a converter is told: optimizations, sets of operators, samples of the input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, unique
from typing import Any


@unique
class Optimize(Enum):
    """How a model is made smaller or faster; all of them quantize."""

    DEFAULT = "DEFAULT"
    OPTIMIZE_FOR_SIZE = "OPTIMIZE_FOR_SIZE"
    OPTIMIZE_FOR_LATENCY = "OPTIMIZE_FOR_LATENCY"
    EXPERIMENTAL_SPARSITY = "EXPERIMENTAL_SPARSITY"

    def __str__(self) -> str:
        return str(self.value)


class OpsSet(Enum):
    """Which operators a model may have."""

    TFLITE_BUILTINS = "TFLITE_BUILTINS"
    SELECT_TF_OPS = "SELECT_TF_OPS"
    TFLITE_BUILTINS_INT8 = "TFLITE_BUILTINS_INT8"
    EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 = (
        "EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8"
    )
    EXPERIMENTAL_STABLEHLO_OPS = "EXPERIMENTAL_STABLEHLO_OPS"

    def __str__(self) -> str:
        return str(self.value)

    @staticmethod
    def get_options() -> list[str]:
        """Return the names of all sets."""
        return [str(option) for option in OpsSet]


class RepresentativeDataset:
    """Samples of a model's input: a function that returns an iterable of them."""

    def __init__(self, input_gen: Callable[[], Iterable[Any]]) -> None:
        self.input_gen = input_gen


class TargetSpec:
    """Which operators and dtypes the device that runs the model knows."""

    def __init__(
        self,
        supported_ops: Any = None,
        supported_types: Any = None,
        experimental_select_user_tf_ops: Any = None,
        experimental_supported_backends: Any = None,
    ) -> None:
        self.supported_ops = {OpsSet.TFLITE_BUILTINS} if supported_ops is None else supported_ops
        self.supported_types = set() if supported_types is None else supported_types
        self.experimental_select_user_tf_ops = experimental_select_user_tf_ops or set()
        self.experimental_supported_backends = experimental_supported_backends
