"""What each op gives when some of its inputs are ragged.

`run` is asked by the eager runtime after an input turned out to be no tensor. Ops that are not
named here take no ragged tensors, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import REGISTRY
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import exp, log
from placewise.ops.ragged import arrangement, elementwise, gather, reduction, row_splits
from placewise.ops.ragged.conversion import from_tensor
from placewise.ops.ragged.matmul import matmul
from placewise.ops.ragged.ragged_tensor import RaggedTensor, as_values
from placewise.ops.ragged.ranges import stack_dynamic_partitions
from placewise.ops.ragged.shape import DynamicRaggedShape

# Ops whose tensor inputs are all treated element by element.
_ELEMENTWISE = """
    Abs Acos Acosh Add AddV2 Angle Asin Asinh AsString Atan Atan2 Atanh BesselI0 BesselI0e BesselI1
    BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Bitcast
    BitwiseAnd BitwiseOr BitwiseXor Cast Ceil CheckNumerics ClipByValue Complex ComplexAbs Conj Cos
    Cosh Dawsn DecodeBase64 DecodeRaw Digamma Div DivNoNan Elu EncodeBase64 Equal Erf Erfc Erfinv
    Exp Expint Expm1 Floor FloorDiv FloorMod FresnelCos FresnelSin Gelu Greater GreaterEqual
    Identity Igamma Igammac Imag Inv Invert IsFinite IsInf IsNan LeakyRelu LeftShift Less LessEqual
    Lgamma Log Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Ndtri Neg
    NextAfter NotEqual OnesLike Polygamma Pow Real RealDiv Reciprocal RegexFullMatch RegexReplace
    Relu Relu6 RightShift Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Softplus Softsign Spence Sqrt
    Square SquaredDifference StaticRegexFullMatch StaticRegexReplace StopGradient StringJoin
    StringLength StringLower StringStrip StringToHashBucket StringToHashBucketFast
    StringToHashBucketStrong StringToNumber StringUpper Sub Substr Tan Tanh TruncateDiv TruncateMod
    UnicodeScript Xdivy Xlog1py Xlogy ZerosLike Zeta PreventGradient
"""
ELEMENTWISE = frozenset(_ELEMENTWISE.split())


def run(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    """Return what `op` gives on these inputs, or NotImplemented."""
    handler = HANDLERS.get(op.name)
    if handler is not None:
        return handler(op, inputs, attrs, name)
    if op.name in ELEMENTWISE:
        return _elementwise(op, inputs, attrs, name)
    return NotImplemented


def _elementwise(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    if len(op.inputs) == 1 and op.inputs[0].is_list:
        return elementwise.apply(
            lambda *flat: op.bind(list(flat), **attrs, name=name), list(inputs[0])
        )
    # Patterns, positions and other arguments that are no data stay as they are.
    data = [
        index
        for index, arg in enumerate(op.inputs)
        if index == 0
        or arg.type_attr == op.inputs[0].type_attr is not None
        or isinstance(inputs[index], RaggedTensor)
    ]

    def function(*flat: Any) -> Any:
        given = list(inputs)
        for index, value in zip(data, flat, strict=True):
            given[index] = value
        return op.bind(*given, **attrs, name=name)

    return elementwise.apply(function, [inputs[index] for index in data])


def _reduced(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    rt, axis = inputs
    return reduction.reduce(op.name, rt, axis, attrs.get("keep_dims", False))


def _concat(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.concat(*inputs)


def _pack(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.stack(inputs[0], attrs["axis"])


def _expand_dims(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.expand_dims(*inputs)


def _tile(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.tile(*inputs)


def _reverse(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.reverse(*inputs)


def _squeeze(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.squeeze(inputs[0], attrs["squeeze_dims"])


def _gather(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    params, indices, axis = inputs
    axis = get_static_value(axis)
    if axis is None:
        raise ValueError("axis must be known when program is built.")
    return gather.gather(params, indices, int(axis), attrs["batch_dims"])


def _gather_nd(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return gather.gather_nd(*inputs)


def _where(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return arrangement.where(*inputs)


def _rank(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return convert_to_tensor(inputs[0].shape.rank)


def _size(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return op.bind(inputs[0].flat_values, **attrs, name=name)


def _shape(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    # Unless asked for another, the splits' own dtype; the op's default cannot be told from asking.
    kind = attrs["out_type"]
    wanted = None if kind is dtypes.int32 else kind
    return DynamicRaggedShape.from_tensor(inputs[0], wanted)


def _one_hot(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    rt, *others = inputs
    axis = attrs["axis"]
    rank = rt.shape.rank
    if axis >= 0:
        if axis <= rt.ragged_rank:
            raise ValueError(
                f"axis ({axis}) must be greater than indices.ragged_rank ({rt.ragged_rank})."
            )
        axis = axis - rt.ragged_rank if axis != rank else -1
    return rt.with_flat_values(op.bind(rt.flat_values, *others, axis=axis, name=name))


def _split(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    axis, value = inputs
    return arrangement.split(value, attrs["num_split"], axis)


def _split_v(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    value, sizes, axis = inputs
    static = get_static_value(sizes)
    if static is None:
        sizes = convert_to_tensor(sizes)
        return arrangement.split(value, [sizes[i] for i in range(attrs["num_split"])], axis)
    return arrangement.split(value, np.asarray(static).tolist(), axis)


def _reshape(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    rt, shape = inputs
    if not isinstance(rt, RaggedTensor):
        return NotImplemented
    flat = rt.flat_values if rt.shape.rank == rt.ragged_rank + 1 else rt.merge_dims(0, rt.ndim - 1)
    return op.bind(flat, shape, name=name)


def _softmax(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    rt = inputs[0]
    if rt.shape.rank != rt.ragged_rank + 1:
        return rt.with_flat_values(op.bind(rt.flat_values, name=name))
    last = rt.shape.rank - 1
    top = reduction.reduce("Max", rt, last, True)
    low = elementwise.apply(_subtract, [rt, top])
    powers = low.with_flat_values(exp(low.flat_values))
    total = reduction.reduce("Sum", powers, last, True)
    if op.name == "LogSoftmax":
        logs = (
            total.with_flat_values(log(total.flat_values))
            if isinstance(total, RaggedTensor)
            else log(total)
        )
        return elementwise.apply(_subtract, [low, logs])
    return elementwise.apply(_divide, [powers, total])


def _subtract(x: Any, y: Any) -> Any:
    return x - y


def _divide(x: Any, y: Any) -> Any:
    return x / y


def _matmul(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return matmul(op, inputs, attrs, name)


def _add_n(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return elementwise.apply(lambda *flat: op.bind(list(flat), name=name), list(inputs[0]))


def _reduce_join(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return reduction.join(*inputs, attrs["keep_dims"], attrs["separator"])


def _scan(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    """Sums (products) along an axis: padding with 0 (1) changes none of them."""
    rt, axis = inputs
    padding = convert_to_tensor(0 if op.name == "Cumsum" else 1, rt.dtype)
    dense = op.bind(rt.to_tensor(padding), axis, **attrs, name=name)
    lengths = list(rt.nested_row_lengths())
    nested = lengths if len(lengths) > 1 else lengths[0]
    return from_tensor(dense, nested, None, len(lengths), rt._partition.dtype)


def _dynamic_partition(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    count = attrs["num_partitions"]
    rows = stack_dynamic_partitions(*inputs, count)
    return [rows[index] for index in range(count)]


def _segment(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    data, segment_ids, count = inputs
    if isinstance(segment_ids, RaggedTensor):
        data = as_values(data)
        segment_ids, data = segment_ids.flat_values, data.flat_values
        return op.bind(data, segment_ids, count, name=name)
    kind = op.name.removeprefix("UnsortedSegment")
    ids, count = (row_splits.content(convert_to_tensor(each)) for each in (segment_ids, count))
    return reduction.segment(kind, data, ids, count)


def _bincount(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    rt, size, weights = inputs
    if isinstance(weights, RaggedTensor):
        weights = weights.flat_values
    splits = cast(rt.row_splits, dtypes.int64)
    return REGISTRY["RaggedBincount"].bind(splits, rt.values, size, weights, **attrs, name=name)


HANDLERS: dict[str, Callable[..., Any]] = {
    "Sum": _reduced,
    "Mean": _reduced,
    "Max": _reduced,
    "Min": _reduced,
    "Prod": _reduced,
    "Any": _reduced,
    "All": _reduced,
    "ConcatV2": _concat,
    "Pack": _pack,
    "ExpandDims": _expand_dims,
    "Tile": _tile,
    "ReverseV2": _reverse,
    "Squeeze": _squeeze,
    "GatherV2": _gather,
    "GatherNd": _gather_nd,
    "SelectV2": _where,
    "Where": _where,
    "Rank": _rank,
    "Size": _size,
    "Shape": _shape,
    "OneHot": _one_hot,
    "Split": _split,
    "SplitV": _split_v,
    "Reshape": _reshape,
    "Softmax": _softmax,
    "LogSoftmax": _softmax,
    "MatMul": _matmul,
    "BatchMatMulV2": _matmul,
    "BatchMatMulV3": _matmul,
    "AddN": _add_n,
    "Cumsum": _scan,
    "Cumprod": _scan,
    "DynamicPartition": _dynamic_partition,
    "DenseBincount": _bincount,
    "ReduceJoin": _reduce_join,
    "UnsortedSegmentSum": _segment,
    "UnsortedSegmentMax": _segment,
    "UnsortedSegmentMin": _segment,
    "UnsortedSegmentProd": _segment,
}
