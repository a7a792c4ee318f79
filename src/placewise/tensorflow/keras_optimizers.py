"""TensorFlow 1's optimizers where Keras takes one: `compile(tf.train.AdamOptimizer())`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.training.adadelta import AdadeltaOptimizer
from placewise.training.adagrad import AdagradOptimizer
from placewise.training.adam import AdamOptimizer
from placewise.training.ftrl import FtrlOptimizer
from placewise.training.gradient_descent import GradientDescentOptimizer
from placewise.training.momentum import MomentumOptimizer
from placewise.training.optimizer import Optimizer
from placewise.training.rmsprop import RMSPropOptimizer


def _options(given: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the name of Keras's optimizer of the same rule, and its options."""
    if isinstance(given, GradientDescentOptimizer):
        return "SGD", {"learning_rate": given._learning_rate}
    if isinstance(given, MomentumOptimizer):
        return "SGD", {
            "learning_rate": given._learning_rate,
            "momentum": given._momentum,
            "nesterov": given._use_nesterov,
        }
    if isinstance(given, AdamOptimizer):
        return "Adam", {
            "learning_rate": given._lr,
            "beta_1": given._beta1,
            "beta_2": given._beta2,
            "epsilon": given._epsilon,
        }
    if isinstance(given, RMSPropOptimizer):
        return "RMSprop", {
            "learning_rate": given._learning_rate,
            "rho": given._decay,
            "momentum": given._momentum,
            "epsilon": given._epsilon,
            "centered": given._centered,
        }
    if isinstance(given, AdagradOptimizer):
        return "Adagrad", {
            "learning_rate": given._learning_rate,
            "initial_accumulator_value": given._initial_accumulator_value,
            "epsilon": 0.0,
        }
    if isinstance(given, AdadeltaOptimizer):
        return "Adadelta", {
            "learning_rate": given._lr,
            "rho": given._rho,
            "epsilon": given._epsilon,
        }
    if isinstance(given, FtrlOptimizer):
        return "Ftrl", {"learning_rate": given._learning_rate}
    return None


def accepting(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return Keras's look-up of optimizers, which also takes TensorFlow 1's."""

    def get_any(identifier: Any) -> Any:
        if not isinstance(identifier, Optimizer):
            return get(identifier)
        found = _options(identifier)
        if found is None:
            raise ValueError(
                f"Keras has no optimizer of the rule of tf.train.{type(identifier).__name__}; "
                "give `compile` one of tf.keras.optimizers"
            )
        name, options = found
        rate = options["learning_rate"]
        options["learning_rate"] = rate() if callable(rate) else rate
        return get({"class_name": name, "config": options})

    return get_any


def install() -> None:
    """Let Keras, once loaded, take TensorFlow 1's optimizers."""
    from keras.src import optimizers  # noqa: PLC0415 - keeps keras out

    from keras import optimizers as public  # noqa: PLC0415 - keeps keras out

    optimizers.get = public.get = accepting(optimizers.get)
