"""Rules of ops that compute: element by element, along axes, on matrices and images."""

from __future__ import annotations

from typing import Any

from placewise.functions.vectorization.calls import (
    NoRule,
    RowCall,
    Value,
    expanded,
    moved,
    op_named,
    rule,
    shifted,
)
from placewise.ops.array.shape import reshape, sizes_of
from placewise.ops.families import same_shape
from placewise.ops.math.arithmetic import add
from placewise.ops.math.reduction import reduce_sum

# Gradients and others whose inputs must be of one shape.
_OF_EQUAL_SHAPES = (
    "AddN EluGrad InvGrad ReciprocalGrad ReluGrad Relu6Grad LeakyReluGrad RsqrtGrad SeluGrad "
    "SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad AccumulateNV2 Cross"
)
# Whatever stands before the last dimensions, they are done one by one.
_OF_LAST_DIMENSIONS = (
    "Cholesky CholeskyGrad FFT FFT2D FFT3D IFFT IFFT2D IFFT3D RFFT RFFT2D RFFT3D IRFFT IRFFT2D "
    "IRFFT3D LogMatrixDeterminant LogSoftmax Lu MatrixBandPart MatrixDeterminant MatrixDiag "
    "MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixExponential "
    "MatrixInverse MatrixLogarithm MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve "
    "MatrixSquareRoot MatrixTriangularSolve Qr SelfAdjointEigV2 Softmax Svd TopKV2"
)
# The first dimension is that of samples, which do not depend on each other.
_OF_SAMPLES = (
    "AdjustContrastv2 AvgPool AvgPool3D BiasAdd Conv2D Conv3D Conv2DBackpropInput DepthToSpace "
    "DepthwiseConv2dNative Dilation2D ExtractImagePatches InTopK InTopKV2 LRN LowerBound MaxPool "
    "MaxPool3D MaxPoolGrad ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor "
    "SoftmaxCrossEntropyWithLogits SpaceToDepth SparseSoftmaxCrossEntropyWithLogits UpperBound"
)
# The inputs of those that are samples, where these are not the first alone.
_SAMPLE_INPUTS = {
    "Conv2DBackpropInput": (2,),
    "InTopK": (0, 1),
    "InTopKV2": (0, 1),
    "LowerBound": (0, 1),
    "MaxPoolGrad": (0, 1, 2),
    "SoftmaxCrossEntropyWithLogits": (0, 1),
    "SparseSoftmaxCrossEntropyWithLogits": (0, 1),
    "UpperBound": (0, 1),
}


def elementwise(call: RowCall) -> Any:
    """Do an op on each element; all inputs broadcast, or those behind the first are settings."""
    if call.declaration.shape_rule is same_shape or len(call.inputs) == 1:
        if isinstance(call.inputs[0], list):  # StringJoin: alike, or numbers
            return call.bind([call.rows(value) for value in _alike(call.inputs[0])])
        return call.bind(call.inputs[0].tensor, *_settings(call))
    return call.bind(*call.aligned(call.inputs))


def _settings(call: RowCall) -> list[Any]:
    if not call.inputs[0].is_rows:
        raise NoRule
    return [call.shared(place) for place in range(1, len(call.inputs))]


def _alike(values: list[Value]) -> list[Value]:
    if len({value.known_rank() for value in values}) > 1:
        raise NoRule
    return values


@rule("BetaInc", "SelectV2")
def _broadcasting(call: RowCall) -> Any:
    return call.bind(*call.aligned(call.inputs))


@rule("Select")
def _select(call: RowCall) -> Any:
    condition, chosen, other = call.inputs
    if condition.known_rank() not in (0, chosen.known_rank()):
        raise NoRule  # a vector chooses whole rows
    return op_named("SelectV2")(*call.aligned([condition, chosen, other]))


@rule(*_OF_EQUAL_SHAPES.split())
def _of_equal_shapes(call: RowCall) -> Any:
    if isinstance(call.inputs[0], list):
        return call.bind([call.rows(value) for value in _alike(call.inputs[0])])
    return call.bind(*map(call.rows, _alike(call.inputs)))


@rule(*_OF_LAST_DIMENSIONS.split())
def _of_last_dimensions(call: RowCall) -> Any:
    host = call.declaration.host
    arguments = call.declaration.inputs
    given = [
        call.shared(place) if arg.name in host or arg.name == "padding_value" else call.rows(value)
        for place, (arg, value) in enumerate(zip(arguments, call.inputs, strict=True))
    ]
    return call.bind(*given)


@rule(*["All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"])
@rule(*["ArgMax", "ArgMin", "Cumprod", "Cumsum", "CumulativeLogsumexp", "ReverseV2"])
def _along_axes(call: RowCall) -> Any:
    call.inputs[0].known_rank()
    return call.bind(call.inputs[0].tensor, shifted(call.shared(1)))


@rule("L2Loss")
def _half_of_squares(call: RowCall) -> Any:
    (value,) = call.inputs
    axes = list(range(1, value.known_rank() + 1))
    return reduce_sum(value.tensor * value.tensor, axes) / 2


@rule("MatMul")
def _product(call: RowCall) -> Any:
    transposed = call.attrs["transpose_a"], call.attrs["transpose_b"]
    if call.operation.outputs[0].dtype.is_complex and any(transposed):
        raise NoRule  # products of batches know the conjugate only
    x, y = (value.tensor for value in call.inputs)
    return op_named("BatchMatMulV2")(x, y, adj_x=transposed[0], adj_y=transposed[1])


@rule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _products(call: RowCall) -> Any:
    x, y = call.aligned(call.inputs)
    if call.declaration.name == "BatchMatMulV3":
        return call.bind(x, y)
    return op_named("BatchMatMulV2")(x, y, adj_x=call.attrs["adj_x"], adj_y=call.attrs["adj_y"])


@rule("Einsum")
def _einsum(call: RowCall) -> Any:
    values, equation = call.inputs[0], call.attrs["equation"].replace(" ", "")
    if "->" not in equation or "." in equation:
        raise NoRule
    letter = next(each for each in "zyxwvutsrqponmlkjihgfedcbaZYXWVU" if each not in equation)
    given, result = equation.split("->")
    parts = [
        letter + part if value.is_rows else part
        for part, value in zip(given.split(","), values, strict=True)
    ]
    written = f"{','.join(parts)}->{letter}{result}"
    return call.bind([value.tensor for value in values], equation=written)


@rule(*_OF_SAMPLES.split())
def _of_samples(call: RowCall) -> Any:
    kind = call.declaration.name
    samples = _SAMPLE_INPUTS.get(kind, (0,))
    if kind == "BiasAdd" and call.inputs[1].is_rows:
        return _bias_of_each(call)
    if kind == "Conv2DBackpropInput":
        return _convolution_back(call)
    given = [
        _merged(call.rows(value)) if place in samples else call.shared(place)
        for place, value in enumerate(call.inputs)
    ]
    result = call.bind(*given)
    before = sizes_of(call.rows(call.inputs[samples[0]]))[:2]
    if isinstance(result, (list, tuple)):
        return [_parted(each, before) for each in result]
    return _parted(result, before)


def _merged(rows: Any) -> Any:
    return reshape(rows, [-1, *sizes_of(rows)[2:]])


def _parted(result: Any, before: list[Any]) -> Any:
    return reshape(result, [*before, *sizes_of(result)[1:]])


def _bias_of_each(call: RowCall) -> Any:
    value, bias = call.inputs
    if call.attrs["data_format"] == "NCHW":
        raise NoRule
    return add(call.rows(value), expanded(bias, value.known_rank()))


def _convolution_back(call: RowCall) -> Any:
    """Return the gradient of a convolution's images; their sizes are an input."""
    sizes, filters, slope = call.shared(0), call.shared(1), call.inputs[2]
    if len(sizes) != 4:
        raise NoRule
    before = sizes_of(slope.tensor)[:2]
    result = call.bind([before[0] * before[1], *sizes[1:]], filters, _merged(slope.tensor))
    return _parted(result, before)


@rule("Roll")
def _roll(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, call.shared(1), shifted(call.shared(2)))


@rule("OneHot")
def _one_hot(call: RowCall) -> Any:
    axis = int(moved(call.attrs["axis"]))
    others = [call.shared(place) for place in (1, 2, 3)]
    return call.bind(call.inputs[0].tensor, *others, axis=axis)
