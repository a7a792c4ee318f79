"""Rules of ops that arrange elements anew: shapes, slices, pieces, look-ups."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.functions.vectorization.calls import (
    NoRule,
    RowCall,
    Shared,
    expanded,
    moved,
    prefixed,
    rule,
    shifted,
)
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import reshape, shape, sizes_of
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod


@rule("Shape")
def _shape(call: RowCall) -> Any:
    return Shared(shape(call.inputs[0].tensor, call.attrs["out_type"])[1:])


@rule("ShapeN")
def _shapes(call: RowCall) -> Any:
    kind = call.attrs["out_type"]
    return [
        Shared(shape(value.tensor, kind)[1 if value.is_rows else 0 :]) for value in call.inputs[0]
    ]


@rule("Size")
def _size(call: RowCall) -> Any:
    return Shared(reduce_prod(shape(call.inputs[0].tensor, call.attrs["out_type"])[1:]))


@rule("Rank")
def _rank(call: RowCall) -> Any:
    return Shared(convert_to_tensor(call.inputs[0].known_rank()))


@rule("EnsureShape")
def _ensure_shape(call: RowCall) -> Any:
    whole = TensorShape([None]).concatenate(TensorShape(call.attrs["shape"]))
    return call.bind(call.inputs[0].tensor, shape=whole)


@rule("Reshape")
def _reshape(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, prefixed(call.count, call.shared(1)))


@rule("BroadcastTo")
def _broadcast_to(call: RowCall) -> Any:
    sizes = call.shared(1)
    rows = expanded(call.inputs[0], int(sizes.shape[0]))
    return call.bind(rows, prefixed(call.count, sizes))


@rule("Fill")
def _fill(call: RowCall) -> Any:
    sizes = call.shared(0)
    rows = expanded(call.inputs[1], int(sizes.shape[0]))
    return broadcast_to(rows, prefixed(call.count, sizes))


@rule("Tile")
def _tile(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, prefixed(1, call.shared(1)))


@rule("Transpose", "ConjugateTranspose")
def _transpose(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, prefixed(0, call.shared(1) + 1))


@rule("ExpandDims")
def _expand_dims(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, shifted(call.shared(1)))


@rule("Squeeze")
def _squeeze(call: RowCall) -> Any:
    axes = call.attrs["squeeze_dims"]
    if not axes:
        dims = call.operation.inputs[0]._dims
        if dims is None or None in dims:
            raise NoRule
        axes = [axis for axis, size in enumerate(dims) if size == 1]
        if not axes:
            return call.inputs[0].tensor
    return call.bind(call.inputs[0].tensor, squeeze_dims=tuple(moved(axes).tolist()))


@rule("Pad", "PadV2", "MirrorPad")
def _pad(call: RowCall) -> Any:
    paddings = call.shared(1)
    none = np.zeros([1, 2], np.int32)
    if isinstance(paddings, Tensor):
        whole: Any = concat([cast(none, paddings.dtype), paddings], 0)
    else:
        whole = np.concatenate([none.astype(paddings.dtype), paddings])
    rest = [call.shared(place) for place in range(2, len(call.inputs))]
    return call.bind(call.inputs[0].tensor, whole, *rest)


@rule("Slice")
def _slice(call: RowCall) -> Any:
    begin, size = prefixed(0, call.shared(1)), prefixed(-1, call.shared(2))
    return call.bind(call.inputs[0].tensor, begin, size)


@rule("StridedSlice")
def _strided_slice(call: RowCall) -> Any:
    begin, end, strides = (
        prefixed(first, call.shared(place)) for place, first in ((1, 0), (2, 0), (3, 1))
    )
    masks = {name: mask << 1 for name, mask in call.attrs.items()}
    masks["begin_mask"] |= 1  # all rows
    masks["end_mask"] |= 1
    return call.bind(call.inputs[0].tensor, begin, end, strides, **masks)


@rule("ConcatV2")
def _concat(call: RowCall) -> Any:
    return call.bind([call.rows(value) for value in call.inputs[0]], shifted(call.shared(1)))


@rule("Pack")
def _pack(call: RowCall) -> Any:
    rows = [call.rows(value) for value in call.inputs[0]]
    return call.bind(rows, axis=int(moved(call.attrs["axis"])))


@rule("Unpack")
def _unpack(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, axis=int(moved(call.attrs["axis"])))


@rule("Split")
def _split(call: RowCall) -> Any:
    return call.bind(shifted(call.shared(0)), call.inputs[1].tensor)


@rule("SplitV")
def _split_by_sizes(call: RowCall) -> Any:
    return call.bind(call.inputs[0].tensor, call.shared(1), shifted(call.shared(2)))


@rule("GatherV2")
def _gather(call: RowCall) -> Any:
    params, indices, _ = call.inputs
    axis, batch = call.number(2), call.attrs["batch_dims"]
    axis += params.known_rank() if axis < 0 else 0
    batch += indices.known_rank() if batch < 0 else 0
    if batch == 0 and not indices.is_rows:
        return call.bind(params.tensor, indices.tensor, axis + 1, batch_dims=0)
    if batch == 0 and not params.is_rows:
        found = call.bind(params.tensor, indices.tensor, axis, batch_dims=0)
        rank = params.known_rank() + indices.known_rank()
        order = [axis, *(place for place in range(rank) if place != axis)]
        return transpose(found, order) if axis else found
    rows = call.rows(params), call.rows(indices)
    return call.bind(*rows, axis + 1, batch_dims=batch + 1)


@rule("ResourceGather")
def _gather_of_variable(call: RowCall) -> Any:
    if call.attrs["batch_dims"]:
        raise NoRule
    return call.bind(call.shared(0), call.inputs[1].tensor)


@rule("GatherNd")
def _gather_nd(call: RowCall) -> Any:
    params, indices = call.inputs
    if not params.is_rows:
        return call.bind(params.tensor, indices.tensor)
    indices.known_rank()
    positions = call.rows(indices)
    sizes = sizes_of(positions)
    numbers = cast(range_of(call.count), positions.dtype)
    numbers = reshape(numbers, [call.count, *[1] * (len(sizes) - 1)])
    numbers = broadcast_to(numbers, [*sizes[:-1], 1])
    return call.bind(params.tensor, concat([numbers, positions], -1))
