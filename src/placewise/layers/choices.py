"""Activations and initializers by name, as layers accept them."""

from __future__ import annotations

from typing import Any

from placewise.graph import initializers
from placewise.ops.math.clip import clip_by_value
from placewise.ops.math.exponential import exp, sigmoid, softplus, softsign
from placewise.ops.math.trigonometric import tanh
from placewise.ops.nn.activations import elu, relu, selu
from placewise.ops.nn.softmax import softmax

# What layers begin with where nothing else is asked for.
ZEROS, ONES = initializers.Zeros(), initializers.Ones()

_ACTIVATIONS: dict[str, Any] = {
    "elu": elu,
    "exponential": exp,
    "relu": relu,
    "selu": selu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "tanh": tanh,
    "linear": lambda x: x,
    "hard_sigmoid": lambda x: clip_by_value(0.2 * x + 0.5, 0.0, 1.0),
}

_INITIALIZERS: dict[str, Any] = {
    "zeros": initializers.Zeros,
    "ones": initializers.Ones,
    "constant": initializers.Constant,
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "identity": initializers.Identity,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "orthogonal": initializers.Orthogonal,
    "variance_scaling": initializers.VarianceScaling,
    # Under these names the spread is smaller than that of the classes.
    "random_normal": lambda: initializers.RandomNormal(0.0, 0.05),
    "random_uniform": lambda: initializers.RandomUniform(-0.05, 0.05),
    "truncated_normal": lambda: initializers.TruncatedNormal(0.0, 0.05),
}


def activation_of(given: Any) -> Any:
    """Return the function an activation is or names; None where there is none."""
    if given is None or callable(given):
        return given
    if isinstance(given, str) and given in _ACTIVATIONS:
        return _ACTIVATIONS[given]
    raise ValueError(f"Unknown activation function:{given}")


def initializer_of(given: Any) -> Any:
    """Return the initializer that is given or named; None where there is none."""
    if isinstance(given, type):
        return given()
    if not isinstance(given, str):
        return given
    if given not in _INITIALIZERS:
        raise ValueError(f"Unknown initializer: {given}")
    return _INITIALIZERS[given]()
