"""Operations on elements: arithmetic, comparisons, activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.lite.lowering.table import LOWERINGS, PATTERNS, Lowering, Place, lowers
from placewise.lite.subgraph import Value

_BINARY_WITH_ACTIVATION = {
    "Add": ("ADD", "AddOptions"),
    "AddV2": ("ADD", "AddOptions"),
    "BiasAdd": ("ADD", "AddOptions"),
    "Sub": ("SUB", "SubOptions"),
    "Mul": ("MUL", "MulOptions"),
    "RealDiv": ("DIV", "DivOptions"),
    "Div": ("DIV", "DivOptions"),
}
_PLAIN = {
    "Abs": ("ABS", "AbsOptions"),
    "Ceil": ("CEIL", ""),
    "Cos": ("COS", "CosOptions"),
    "Elu": ("ELU", ""),
    "Equal": ("EQUAL", "EqualOptions"),
    "Exp": ("EXP", "ExpOptions"),
    "Floor": ("FLOOR", ""),
    "FloorDiv": ("FLOOR_DIV", "FloorDivOptions"),
    "FloorMod": ("FLOOR_MOD", "FloorModOptions"),
    "Greater": ("GREATER", "GreaterOptions"),
    "GreaterEqual": ("GREATER_EQUAL", "GreaterEqualOptions"),
    "Less": ("LESS", "LessOptions"),
    "LessEqual": ("LESS_EQUAL", "LessEqualOptions"),
    "Log": ("LOG", ""),
    "LogSoftmax": ("LOG_SOFTMAX", "LogSoftmaxOptions"),
    "LogicalAnd": ("LOGICAL_AND", "LogicalAndOptions"),
    "LogicalNot": ("LOGICAL_NOT", "LogicalNotOptions"),
    "LogicalOr": ("LOGICAL_OR", "LogicalOrOptions"),
    "Maximum": ("MAXIMUM", "MaximumMinimumOptions"),
    "Minimum": ("MINIMUM", "MaximumMinimumOptions"),
    "Neg": ("NEG", "NegOptions"),
    "NotEqual": ("NOT_EQUAL", "NotEqualOptions"),
    "Pow": ("POW", "PowOptions"),
    "Relu": ("RELU", ""),
    "Relu6": ("RELU6", ""),
    "Round": ("ROUND", ""),
    "Rsqrt": ("RSQRT", ""),
    "Select": ("SELECT", "SelectOptions"),
    "SelectV2": ("SELECT_V2", "SelectV2Options"),
    "Sigmoid": ("LOGISTIC", ""),
    "Sign": ("SIGN", "SignOptions"),
    "Sin": ("SIN", ""),
    "Sqrt": ("SQRT", ""),
    "Square": ("SQUARE", "SquareOptions"),
    "SquaredDifference": ("SQUARED_DIFFERENCE", "SquaredDifferenceOptions"),
    "Tanh": ("TANH", ""),
    "ZerosLike": ("ZEROS_LIKE", "ZerosLikeOptions"),
}
_SAME = ("Identity", "StopGradient", "PreventGradient", "CheckNumerics", "Snapshot", "EnsureShape")


def _plain(kind: str, options: str) -> Lowering:
    def lower_plainly(place: Place) -> Value:
        return place.add(kind, options=options)

    return lower_plainly


LOWERINGS.update({name: _plain(*pair) for name, pair in _PLAIN.items()})
LOWERINGS.update({name: _plain(*pair) for name, pair in _BINARY_WITH_ACTIVATION.items()})


@lowers(*_SAME)
def lower_identity(place: Place) -> Value:
    """Pass a value on: there is no operator for it."""
    return place.inputs[0]


@lowers("Softmax")
def lower_softmax(place: Place) -> Value:
    """Add SOFTMAX; its beta is 1."""
    return place.add("SOFTMAX", options="SoftmaxOptions", beta=1.0)


@lowers("LeakyRelu")
def lower_leaky_relu(place: Place) -> Value:
    """Add LEAKY_RELU."""
    return place.add("LEAKY_RELU", options="LeakyReluOptions", alpha=place.attr("alpha"))


@lowers("Cast")
def lower_cast(place: Place) -> Value:
    """Add CAST, or nothing where the dtype stays."""
    if place.inputs[0].dtype == place.outputs[0].dtype:
        return place.inputs[0]
    return place.add("CAST", options="CastOptions")


@lowers("Softplus")
def lower_softplus(place: Place) -> Value:
    """Compute max(x, 0) + log(1 + exp(-|x|)), which cannot overflow."""
    (x,) = place.inputs
    size = place.add("NEG", [place.add("ABS", [x], options="AbsOptions")], options="NegOptions")
    small = place.add("EXP", [size], options="ExpOptions")
    small = place.add("ADD", [small, place.number(1)], options="AddOptions")
    return place.add(
        "ADD", [place.add("RELU", [x]), place.add("LOG", [small])], options="AddOptions"
    )


@lowers("Softsign")
def lower_softsign(place: Place) -> Value:
    """Compute x / (1 + |x|)."""
    (x,) = place.inputs
    size = place.add("ABS", [x], options="AbsOptions")
    size = place.add("ADD", [size, place.number(1)], options="AddOptions")
    return place.add("DIV", [x, size], options="DivOptions")


@lowers("Selu")
def lower_selu(place: Place) -> Value:
    """Compute scale * (max(x, 0) + alpha * elu(min(x, 0)))."""
    (x,) = place.inputs
    low = place.add("MINIMUM", [x, place.number(0)], options="MaximumMinimumOptions")
    low = place.add("ELU", [low])
    low = place.add("MUL", [low, place.number(1.6732632423543772)], options="MulOptions")
    total = place.add("ADD", [place.add("RELU", [x]), low], options="AddOptions")
    return place.add("MUL", [total, place.number(1.0507009873554805)], options="MulOptions")


@lowers("Reciprocal", "Inv")
def lower_reciprocal(place: Place) -> Value:
    """Divide one by the value."""
    return place.add("DIV", [place.number(1), place.inputs[0]], options="DivOptions")


@lowers("Log1p")
def lower_log1p(place: Place) -> Value:
    """Add one and take the logarithm, as TensorFlow's converter does."""
    total = place.add("ADD", [place.inputs[0], place.number(1)], options="AddOptions")
    return place.add("LOG", [total])


@lowers("AddN")
def lower_add_n(place: Place) -> Value:
    """Add ADD_N."""
    return place.add("ADD_N", options="AddNOptions")


@lowers("ClipByValue")
def lower_clip(place: Place) -> Value:
    """Limit from above, then from below."""
    x, low, high = place.inputs
    below = place.add("MINIMUM", [x, high], options="MaximumMinimumOptions")
    return place.add("MAXIMUM", [below, low], options="MaximumMinimumOptions")


@lowers("DivNoNan")
def lower_div_no_nan(place: Place) -> Value:
    """Divide, and select zero where the divisor is zero."""
    x, y = place.inputs
    like = Value(place.outputs[0].name, "bool", place.outputs[0].shape)
    zero = place.number(np.zeros((), y.dtype))
    is_zero = place.add("EQUAL", [y, zero], like, "EqualOptions")
    quotient = place.add("DIV", [x, y], options="DivOptions")
    return place.add("SELECT_V2", [is_zero, zero, quotient], options="SelectV2Options")


def _operand_of_gelu(op: Any) -> list[Any] | None:
    """Return x where an operation computes 0.5 x erfc(-x / sqrt 2), else None."""
    if op.type != "Mul":
        return None
    for half, rest in (op.inputs, op.inputs[::-1]):
        x = _other(half.op, ("Mul",), 0.5)
        if x is None or rest.op.type != "Erfc":
            continue
        negative = _other(rest.op.inputs[0].op, ("Mul",), np.sqrt(0.5))
        if negative is not None and negative.op.type == "Neg" and negative.op.inputs[0] is x:
            return [x]
    return None


def lower_gelu(place: Place) -> Value:
    """Add GELU."""
    return place.add("GELU", options="GeluOptions", approximate=False)


PATTERNS.append((_operand_of_gelu, lower_gelu))


def _other(op: Any, kinds: tuple[str, ...], number: float) -> Any:
    """Return the operand beside a constant of that value, or None."""
    if op.type not in kinds:
        return None
    for one, other in (op.inputs, op.inputs[::-1]):
        value = one.op.attrs.get("value") if one.op.type == "Const" else None
        if value is not None and np.allclose(np.asarray(value, np.float64), number, rtol=1e-4):
            return other
    return None
