"""How many float operations an operation of a graph takes, as TensorFlow 1's profiler counts them.

An op that is not listed counts nothing, and neither does one with shapes that are not known.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple


class Shapes(NamedTuple):
    """The shapes of an operation's inputs and outputs, as lists of numbers."""

    inputs: list[list[int]]
    outputs: list[list[int]]


def float_operations(op: Any, shapes: Shapes) -> int:
    """Return the float operations of one run of `op`."""
    count = _COUNTS.get(op.type)
    if count is None or op.attrs.get("data_format", "NHWC") not in ("NHWC", "NDHWC"):
        return 0
    return int(count(op, shapes))


def _by_input(each: int) -> Callable[[Any, Shapes], int]:
    return lambda op, shapes: each * prod(shapes.inputs[0])


def _by_output(each: int) -> Callable[[Any, Shapes], int]:
    return lambda op, shapes: each * prod(shapes.outputs[0])


def _sum(op: Any, shapes: Shapes) -> int:
    return prod(shapes.inputs[0]) - prod(shapes.outputs[0])


def _ksize(op: Any) -> int:
    """Return how many places the window of a pool has."""
    return prod(map(int, op.attrs["ksize"]))


def _product(op: Any, shapes: Shapes) -> int:
    attrs = op.attrs
    is_transposed = attrs.get("transpose_a") or attrs.get("adj_x")
    inner = shapes.inputs[0][-2 if is_transposed else -1]
    return 2 * inner * prod(shapes.outputs[0])


def _convolution(op: Any, shapes: Shapes) -> int:
    # The filter's last dimension counts the output's channels, which the output has as well.
    return 2 * prod(shapes.inputs[1][:-1]) * prod(shapes.outputs[0])


def _window(op: Any, shapes: Shapes) -> int:
    """Count two operations for each output and each place of the window."""
    return 2 * prod(shapes.inputs[1][:2]) * prod(shapes.outputs[0])


def _convolution_backwards(image: list[int], kernel: list[int], strides: Any) -> int:
    return 2 * prod(image[:-1]) * prod(kernel) // int(strides[1] * strides[2])


def _input_gradient(op: Any, shapes: Shapes) -> int:
    return _convolution_backwards(shapes.outputs[0], shapes.inputs[1], op.attrs["strides"])


def _filter_gradient(op: Any, shapes: Shapes) -> int:
    return _convolution_backwards(shapes.inputs[0], shapes.outputs[0], op.attrs["strides"])


def _pool(op: Any, shapes: Shapes) -> int:
    return _ksize(op) * prod(shapes.outputs[0])


def _average_gradient(op: Any, shapes: Shapes) -> int:
    return 2 * _ksize(op) * prod(shapes.inputs[1])


def _maximum_gradient(op: Any, shapes: Shapes) -> int:
    return (_ksize(op) + 1) * prod(shapes.inputs[1])


def _add_all(op: Any, shapes: Shapes) -> int:
    return (len(shapes.inputs) - 1) * prod(shapes.outputs[0])


_COUNTS: dict[str, Callable[[Any, Shapes], int]] = {
    **dict.fromkeys(
        ("Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "BiasAdd", "Mean"),
        _by_input(1),
    ),
    "Rsqrt": _by_input(2),
    "Softmax": _by_input(5),
    "L2Loss": lambda op, shapes: 3 * prod(shapes.inputs[0]) - 1,
    **dict.fromkeys(
        ("Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow"), _by_output(1)
    ),
    **dict.fromkeys(
        ("GreaterEqual", "Greater", "LessEqual", "Less", "Equal", "NotEqual"), _by_output(1)
    ),
    "RsqrtGrad": _by_output(4),
    "SquaredDifference": _by_output(2),
    **dict.fromkeys(("Sum", "ArgMax", "ArgMin", "BiasAddGrad"), _sum),
    **dict.fromkeys(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), _product),
    **dict.fromkeys(("Conv2D", "Conv3D"), _convolution),
    **dict.fromkeys(("DepthwiseConv2dNative", "Dilation2D"), _window),
    "Conv2DBackpropInput": _input_gradient,
    "Conv2DBackpropFilter": _filter_gradient,
    **dict.fromkeys(("MaxPool", "AvgPool"), _pool),
    "AvgPoolGrad": _average_gradient,
    "MaxPoolGrad": _maximum_gradient,
    "AddN": _add_all,
}
