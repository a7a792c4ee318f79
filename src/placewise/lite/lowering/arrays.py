"""Operations that move elements: reshapes, slices, joins, gathers, reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.lite.lowering.table import LOWERINGS, Lowering, Place, lowers
from placewise.lite.subgraph import Value, constant

_REDUCTIONS = {
    "Mean": "MEAN",
    "Sum": "SUM",
    "Prod": "REDUCE_PROD",
    "Max": "REDUCE_MAX",
    "Min": "REDUCE_MIN",
    "Any": "REDUCE_ANY",
    "All": "REDUCE_ALL",
}


def _reduction(kind: str) -> Lowering:
    def lower_reduction(place: Place) -> Value:
        keeps = bool(place.attr("keep_dims"))
        axes = constant(place.known(1).reshape(-1), place.inputs[1].name, np.int32)
        return place.add(kind, [place.inputs[0], axes], options="ReducerOptions", keepDims=keeps)

    return lower_reduction


LOWERINGS.update({name: _reduction(kind) for name, kind in _REDUCTIONS.items()})


@lowers("Reshape")
def lower_reshape(place: Place) -> Value:
    """Add RESHAPE; one unknown dimension is written as -1."""
    shape = place.outputs[0].shape
    operand = place.int32(1)
    if operand.content is None and shape.count(-1) == 1:
        operand = place.number(shape, "int32")
    return place.add("RESHAPE", [place.inputs[0], operand], options="ReshapeOptions")


@lowers("Squeeze")
def lower_squeeze(place: Place) -> Value:
    """Add SQUEEZE with the axes that go."""
    axes = [int(axis) for axis in place.attr("squeeze_dims")]
    axes = axes or [axis for axis, size in enumerate(place.inputs[0].shape) if size == 1]
    return place.add("SQUEEZE", options="SqueezeOptions", squeezeDims=axes)


@lowers("ExpandDims")
def lower_expand_dims(place: Place) -> Value:
    """Add EXPAND_DIMS."""
    return place.add("EXPAND_DIMS", [place.inputs[0], place.int32(1)], options="ExpandDimsOptions")


@lowers("Shape")
def lower_shape(place: Place) -> Value:
    """Add SHAPE."""
    return place.add("SHAPE", options="ShapeOptions", outType=place.outputs[0].dtype)


@lowers("Rank")
def lower_rank(place: Place) -> Value:
    """Add RANK."""
    return place.add("RANK", options="RankOptions")


@lowers("Transpose")
def lower_transpose(place: Place) -> Value:
    """Add TRANSPOSE."""
    return place.add("TRANSPOSE", [place.inputs[0], place.int32(1)], options="TransposeOptions")


@lowers("ConcatV2")
def lower_concat(place: Place) -> Value:
    """Add CONCATENATION."""
    axis = int(place.known(-1))
    return place.add(
        "CONCATENATION", list(place.inputs[:-1]), options="ConcatenationOptions", axis=axis
    )


@lowers("Pack")
def lower_pack(place: Place) -> Value:
    """Add PACK."""
    count = len(place.inputs)
    return place.add("PACK", options="PackOptions", axis=place.attr("axis"), valuesCount=count)


@lowers("Unpack")
def lower_unpack(place: Place) -> list[Any]:
    """Add UNPACK."""
    count = len(place.outputs)
    axis = place.attr("axis")
    return place.add_several("UNPACK", place.inputs, "UnpackOptions", num=count, axis=axis)


@lowers("Split")
def lower_split(place: Place) -> list[Any]:
    """Add SPLIT, axis first."""
    inputs = [place.int32(0), place.inputs[1]]
    return place.add_several("SPLIT", inputs, "SplitOptions", numSplits=len(place.outputs))


@lowers("SplitV")
def lower_split_v(place: Place) -> list[Any]:
    """Add SPLIT_V."""
    inputs = [place.inputs[0], place.int32(1), place.int32(2)]
    return place.add_several("SPLIT_V", inputs, "SplitVOptions", numSplits=len(place.outputs))


@lowers("Slice")
def lower_slice(place: Place) -> Value:
    """Add SLICE."""
    inputs = [place.inputs[0], place.int32(1), place.int32(2)]
    return place.add("SLICE", inputs, options="SliceOptions")


@lowers("StridedSlice")
def lower_strided_slice(place: Place) -> Value:
    """Add STRIDED_SLICE; new axes are added by a reshape, which kernels of all versions know."""
    if place.attr("new_axis_mask"):
        return _with_new_axes(place)
    inputs = [place.inputs[0], *(place.int32(index) for index in (1, 2, 3))]
    return place.add("STRIDED_SLICE", inputs, options="StridedSliceOptions", **_masks(place))


def _masks(place: Place) -> dict[str, Any]:
    names = ("begin", "end", "ellipsis", "shrink_axis")
    fields = ("beginMask", "endMask", "ellipsisMask", "shrinkAxisMask")
    return {f: int(place.attr(f"{n}_mask")) for f, n in zip(fields, names, strict=True)}


def _with_new_axes(place: Place) -> Value:
    slices_all = all(
        (place.attr("new_axis_mask") | place.attr("ellipsis_mask")) >> index & 1
        or (place.attr("begin_mask") & place.attr("end_mask")) >> index & 1
        for index in range(len(place.known(1)))
    )
    if not slices_all or place.outputs[0].shape.count(-1) > 1 or place.attr("shrink_axis_mask"):
        raise place.unsupported("add new axes with tf.expand_dims, apart from slicing")
    shape = place.number(place.outputs[0].shape, "int32")
    return place.add("RESHAPE", [place.inputs[0], shape], options="ReshapeOptions")


@lowers("Tile")
def lower_tile(place: Place) -> Value:
    """Add TILE."""
    return place.add("TILE", [place.inputs[0], place.int32(1)], options="TileOptions")


@lowers("BroadcastTo")
def lower_broadcast_to(place: Place) -> Value:
    """Add BROADCAST_TO."""
    inputs = [place.inputs[0], place.int32(1)]
    return place.add("BROADCAST_TO", inputs, options="BroadcastToOptions")


@lowers("Pad")
def lower_pad(place: Place) -> Value:
    """Add PAD."""
    return place.add("PAD", [place.inputs[0], place.int32(1)], options="PadOptions")


@lowers("PadV2")
def lower_pad_v2(place: Place) -> Value:
    """Add PADV2."""
    inputs = [place.inputs[0], place.int32(1), place.inputs[2]]
    return place.add("PADV2", inputs, options="PadV2Options")


@lowers("MirrorPad")
def lower_mirror_pad(place: Place) -> Value:
    """Add MIRROR_PAD."""
    mode = {"REFLECT": 0, "SYMMETRIC": 1}[place.attr("mode")]
    inputs = [place.inputs[0], place.int32(1)]
    return place.add("MIRROR_PAD", inputs, options="MirrorPadOptions", mode=mode)


@lowers("GatherV2", "Gather")
def lower_gather(place: Place) -> Value:
    """Add GATHER."""
    axis = int(place.known(2)) if len(place.inputs) > 2 else 0
    batch = int(place.attr("batch_dims")) if place.op.type == "GatherV2" else 0
    inputs: list[Value | None] = list(place.inputs[:2])
    return place.add("GATHER", inputs, options="GatherOptions", axis=axis, batchDims=batch)


@lowers("ResourceGather")
def lower_resource_gather(place: Place) -> Value:
    """Add GATHER from what a variable holds now."""
    batch = int(place.attr("batch_dims"))
    return place.add("GATHER", options="GatherOptions", axis=batch, batchDims=batch)


@lowers("GatherNd")
def lower_gather_nd(place: Place) -> Value:
    """Add GATHER_ND."""
    return place.add("GATHER_ND", options="GatherNdOptions")


@lowers("OneHot")
def lower_one_hot(place: Place) -> Value:
    """Add ONE_HOT."""
    inputs = [place.inputs[0], place.int32(1), *place.inputs[2:]]
    return place.add("ONE_HOT", inputs, options="OneHotOptions", axis=place.attr("axis"))


@lowers("ArgMax", "ArgMin")
def lower_arg_extreme(place: Place) -> Value:
    """Add ARG_MAX or ARG_MIN."""
    kind, options = {
        "ArgMax": ("ARG_MAX", "ArgMaxOptions"),
        "ArgMin": ("ARG_MIN", "ArgMinOptions"),
    }[place.op.type]
    inputs = [place.inputs[0], place.int32(1)]
    return place.add(kind, inputs, options=options, outputType=place.outputs[0].dtype)


@lowers("TopKV2")
def lower_top_k(place: Place) -> list[Any]:
    """Add TOPK_V2."""
    inputs = [place.inputs[0], place.int32(1)]
    return place.add_several("TOPK_V2", inputs, "TopKV2Options")


@lowers("Fill")
def lower_fill(place: Place) -> Value:
    """Add FILL."""
    return place.add("FILL", options="FillOptions")


@lowers("Range")
def lower_range(place: Place) -> Value:
    """Add RANGE."""
    return place.add("RANGE", options="RangeOptions")


@lowers("Cumsum")
def lower_cumsum(place: Place) -> Value:
    """Add CUMSUM."""
    return place.add(
        "CUMSUM",
        [place.inputs[0], place.int32(1)],
        options="CumsumOptions",
        exclusive=bool(place.attr("exclusive")),
        reverse=bool(place.attr("reverse")),
    )


@lowers("ReverseV2")
def lower_reverse(place: Place) -> Value:
    """Add REVERSE_V2."""
    return place.add("REVERSE_V2", [place.inputs[0], place.int32(1)], options="ReverseV2Options")


@lowers("Where")
def lower_where(place: Place) -> Value:
    """Add WHERE."""
    return place.add("WHERE", options="WhereOptions")
