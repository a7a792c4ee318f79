"""Keras 2's spellings in programs of TensorFlow 1: `lr=`, `padding="SAME"`, CuDNN layers and more.

Keras 3 refuses them, or warns and ignores what was asked. Installed once a program of TensorFlow 1
has loaded Keras; programs of TensorFlow 2 get Keras 3's own errors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from placewise.tensorflow import (
    keras_decay,
    keras_methods,
    keras_metric_names,
)

# Classes whose learning rate programs of that time gave by its old name.
_OPTIMIZERS = ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam", "Ftrl")


# Functions that Keras 3 has under their short names only.
_LONG_NAMES = {
    "mean_squared_error": "mse",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_squared_logarithmic_error": "msle",
}


def install(keras: Any) -> None:
    """Let Keras, once loaded, take the spellings."""
    if hasattr(keras.layers, "CuDNNGRU"):
        return
    for name in _OPTIMIZERS:
        _accept_lr(getattr(keras.optimizers, name))
    keras_decay.install(keras)
    keras_metric_names.install(keras)
    keras_methods.install(keras)
    # Keras reads the parameters of a layer's own `__init__`, so the base class is wrapped.
    _accept_upper_case(keras.layers.MaxPooling2D.__mro__[1])
    keras.layers.CuDNNGRU, keras.layers.CuDNNLSTM = _cudnn_layers(keras)
    for module in (keras.losses, keras.metrics):
        for name, short in _LONG_NAMES.items():
            setattr(module, name, getattr(module, short))


def _accept_lr(kind: Any) -> None:
    """Let `lr` mean `learning_rate`, and `decay` the decay by the number of steps."""
    plain: Callable[..., None] = kind.__init__

    @functools.wraps(plain)
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        if "lr" in kwargs:
            kwargs["learning_rate"] = kwargs.pop("lr")
        decay = kwargs.pop("decay", None)
        plain(self, *args, **kwargs)
        if decay:
            self.decay = decay

    kind.__init__ = initialize


def _accept_upper_case(kind: Any) -> None:
    plain: Callable[..., None] = kind.__init__

    @functools.wraps(plain)
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(kwargs.get("padding"), str):
            kwargs["padding"] = kwargs["padding"].lower()
        plain(self, *args, **kwargs)

    kind.__init__ = initialize


def _cudnn_layers(keras: Any) -> tuple[Any, Any]:
    """Return the recurrent layers whose equations are cuDNN's; they run on every device."""

    class CuDNNGRU(keras.layers.GRU):  # type: ignore[misc]
        """A GRU with cuDNN's equations: the reset gate works after the matrix product."""

        def __init__(self, units: int, **options: Any) -> None:
            super().__init__(units, reset_after=True, recurrent_activation="sigmoid", **options)

        def get_config(self) -> dict[str, Any]:
            """Return the options; the equations are no option."""
            return _without_equations(super().get_config())

    class CuDNNLSTM(keras.layers.LSTM):  # type: ignore[misc]
        """An LSTM with cuDNN's equations."""

        def __init__(self, units: int, **options: Any) -> None:
            super().__init__(units, recurrent_activation="sigmoid", **options)

        def get_config(self) -> dict[str, Any]:
            """Return the options; the equations are no option."""
            return _without_equations(super().get_config())

    return CuDNNGRU, CuDNNLSTM


def _without_equations(config: dict[str, Any]) -> dict[str, Any]:
    fixed = ("activation", "recurrent_activation", "reset_after", "use_bias", "dropout")
    return {key: config[key] for key in config if key not in (*fixed, "recurrent_dropout", "seed")}
