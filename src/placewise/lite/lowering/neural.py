"""Operations of neural networks: products, convolutions, pooling, resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.lite.lowering.table import Place, lowers
from placewise.lite.subgraph import Value, constant

_PADDINGS = {"SAME": 0, "VALID": 1}


@lowers("MatMul")
def lower_matmul(place: Place) -> Value:
    """Add FULLY_CONNECTED where the second operand is a constant, else BATCH_MATMUL."""
    x, w = place.inputs
    if w.content is None or place.attr("transpose_a") or w.dtype != "float32":
        return place.add(
            "BATCH_MATMUL",
            options="BatchMatMulOptions",
            adjX=bool(place.attr("transpose_a")),
            adjY=bool(place.attr("transpose_b")),
        )
    weights = w.content if place.attr("transpose_b") else w.content.T
    bias = np.zeros(weights.shape[0], weights.dtype)
    inputs: list[Value | None] = [
        x,
        constant(np.ascontiguousarray(weights), w.name),
        constant(bias, f"{w.name}/bias"),
    ]
    return place.add("FULLY_CONNECTED", inputs, options="FullyConnectedOptions")


@lowers("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def lower_batch_matmul(place: Place) -> Value:
    """Add BATCH_MATMUL."""
    return place.add(
        "BATCH_MATMUL",
        options="BatchMatMulOptions",
        adjX=bool(place.attr("adj_x")),
        adjY=bool(place.attr("adj_y")),
    )


@lowers("Conv2D")
def lower_conv2d(place: Place) -> Value:
    """Add CONV_2D, with filters as output, height, width, input."""
    filters = place.known(1)
    weights = np.ascontiguousarray(filters.transpose(3, 0, 1, 2))
    return _convolution(place, "CONV_2D", "Conv2DOptions", weights)


@lowers("DepthwiseConv2dNative")
def lower_depthwise(place: Place) -> Value:
    """Add DEPTHWISE_CONV_2D, with filters as 1, height, width, output."""
    filters = place.known(1)
    height, width, channels, multiplier = filters.shape
    weights = filters.reshape(1, height, width, channels * multiplier)
    return _convolution(
        place,
        "DEPTHWISE_CONV_2D",
        "DepthwiseConv2DOptions",
        weights,
        depthMultiplier=multiplier,
    )


def _convolution(place: Place, kind: str, options: str, weights: Any, **fields: Any) -> Value:
    _needs_channels_last(place)
    x, padding = place.inputs[0], place.attr("padding")
    if padding == "EXPLICIT":
        x, padding = _padded(place, x), "VALID"
    outputs = weights.shape[0] if kind == "CONV_2D" else weights.shape[3]
    name = place.inputs[1].name
    inputs: list[Value | None] = [
        x,
        constant(weights, name),
        constant(np.zeros(outputs, weights.dtype), f"{name}/bias"),
    ]
    _, height, width, _ = place.attr("strides")
    _, rows, columns, _ = place.attr("dilations")
    return place.add(
        kind,
        inputs,
        options=options,
        padding=_PADDINGS[padding],
        strideH=height,
        strideW=width,
        dilationHFactor=rows,
        dilationWFactor=columns,
        **fields,
    )


def _padded(place: Place, x: Value) -> Value:
    amounts = np.array(place.attr("explicit_paddings"), np.int32).reshape(4, 2)
    shape = tuple(
        -1 if size < 0 else size + int(extra.sum())
        for size, extra in zip(x.shape, amounts, strict=True)
    )
    like = Value(f"{place.op.name}/Pad", x.dtype, shape)
    return place.add("PAD", [x, place.number(amounts, "int32")], like, "PadOptions")


def _needs_channels_last(place: Place) -> None:
    if place.attr("data_format") != "NHWC":
        raise place.unsupported("TensorFlow Lite computes on data_format='NHWC' only")


@lowers("Conv2DBackpropInput")
def lower_transposed_conv(place: Place) -> Value:
    """Add TRANSPOSE_CONV, with filters as output, height, width, input."""
    _needs_channels_last(place)
    if any(size != 1 for size in place.attr("dilations")):
        raise place.unsupported("transposed convolutions with dilation have no operator")
    filters = place.known(1)
    weights = np.ascontiguousarray(filters.transpose(2, 0, 1, 3))
    name = place.inputs[1].name
    inputs: list[Value | None] = [
        place.int32(0),
        constant(weights, name),
        place.inputs[2],
        constant(np.zeros(weights.shape[0], weights.dtype), f"{name}/bias"),
    ]
    _, height, width, _ = place.attr("strides")
    return place.add(
        "TRANSPOSE_CONV",
        inputs,
        options="TransposeConvOptions",
        padding=_PADDINGS[place.attr("padding")],
        strideH=height,
        strideW=width,
    )


@lowers("MaxPool", "AvgPool")
def lower_pool(place: Place) -> Value:
    """Add MAX_POOL_2D or AVERAGE_POOL_2D."""
    _needs_channels_last(place)
    kind = {"MaxPool": "MAX_POOL_2D", "AvgPool": "AVERAGE_POOL_2D"}[place.op.type]
    if place.attr("padding") not in _PADDINGS:
        raise place.unsupported("pad with tf.pad first: pooling has no explicit padding")
    _, height, width, _ = place.attr("ksize")
    _, rows, columns, _ = place.attr("strides")
    return place.add(
        kind,
        options="Pool2DOptions",
        padding=_PADDINGS[place.attr("padding")],
        filterHeight=height,
        filterWidth=width,
        strideH=rows,
        strideW=columns,
    )


@lowers("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def lower_batch_norm(place: Place) -> Value:
    """Multiply and add: the mean and variance are constants."""
    if place.attr("is_training"):
        raise place.unsupported("convert the model as it predicts: training=False")
    _needs_channels_last(place)
    scale, offset, mean, variance = (place.known(index) for index in (1, 2, 3, 4))
    factor = scale / np.sqrt(variance + np.float32(place.attr("epsilon")))
    product = place.add("MUL", [place.inputs[0], place.number(factor)], options="MulOptions")
    return place.add("ADD", [product, place.number(offset - mean * factor)], options="AddOptions")


@lowers("ResizeBilinear", "ResizeNearestNeighbor")
def lower_resize(place: Place) -> Value:
    """Add RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR."""
    kind, options = {
        "ResizeBilinear": ("RESIZE_BILINEAR", "ResizeBilinearOptions"),
        "ResizeNearestNeighbor": ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
    }[place.op.type]
    return place.add(
        kind,
        [place.inputs[0], place.int32(1)],
        options=options,
        alignCorners=bool(place.attr("align_corners")),
        halfPixelCenters=bool(place.attr("half_pixel_centers")),
    )


@lowers("DepthToSpace", "SpaceToDepth")
def lower_depth_space(place: Place) -> Value:
    """Add DEPTH_TO_SPACE or SPACE_TO_DEPTH."""
    _needs_channels_last(place)
    kind, options = {
        "DepthToSpace": ("DEPTH_TO_SPACE", "DepthToSpaceOptions"),
        "SpaceToDepth": ("SPACE_TO_DEPTH", "SpaceToDepthOptions"),
    }[place.op.type]
    return place.add(kind, options=options, blockSize=place.attr("block_size"))


@lowers("SpaceToBatchND", "BatchToSpaceND")
def lower_space_batch(place: Place) -> Value:
    """Add SPACE_TO_BATCH_ND or BATCH_TO_SPACE_ND."""
    kind = {"SpaceToBatchND": "SPACE_TO_BATCH_ND", "BatchToSpaceND": "BATCH_TO_SPACE_ND"}
    options = f"{place.op.type}Options"
    inputs = [place.inputs[0], place.int32(1), place.int32(2)]
    return place.add(kind[place.op.type], inputs, options=options)
