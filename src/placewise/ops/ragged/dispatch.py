"""What each op gives when some of its inputs are ragged.

`run` is asked by the eager runtime after an input turned out to be no tensor. The rules stand here,
above the ops they are for, and are kept on the ops. An op that has none and is not elementwise
takes no ragged tensors, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.gather import gather as dense_gather
from placewise.ops.array.gather import gather_nd
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.partition import dynamic_partition
from placewise.ops.array.reverse import reverse
from placewise.ops.array.shape import expand_dims, rank, reshape, shape, size, squeeze
from placewise.ops.array.split import split_op, split_v_op
from placewise.ops.array.static import get_static_value
from placewise.ops.array.tile import tile
from placewise.ops.array.where import old_select_op, select_op, where_op
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Op
from placewise.ops.linalg.matmul import batch_matrix_product, matrix_product, mixed_matrix_product
from placewise.ops.math.add_n import add_n_op
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.exponential import exp, log
from placewise.ops.math.histogram import dense_bincount_op, ragged_bincount_op
from placewise.ops.math.reduction import reduce_all
from placewise.ops.math.scan import cumprod, cumsum
from placewise.ops.nn.softmax import log_softmax_op, softmax_op
from placewise.ops.ragged import arrangement, elementwise, gather, reduction, row_splits
from placewise.ops.ragged.conversion import from_tensor
from placewise.ops.ragged.matmul import matmul
from placewise.ops.ragged.ragged_tensor import RaggedTensor, as_values
from placewise.ops.ragged.ranges import stack_dynamic_partitions
from placewise.ops.ragged.shape import DynamicRaggedShape
from placewise.ops.strings.join import reduce_join

_BY_SEGMENT = (reduction.SUM, reduction.MAX, reduction.MIN, reduction.PROD)
_REDUCTIONS = (*_BY_SEGMENT, reduction.MEAN, reduction.ANY, reduction.ALL)
_KINDS: dict[Op, Any] = {kind.dense.op: kind for kind in _REDUCTIONS}
_SEGMENT_KINDS: dict[Op, Any] = {kind.segments.op: kind for kind in _BY_SEGMENT}


def ragged_rule(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function say what some ops give when an input is ragged; they are named by object."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            function.op.ragged_rule = rule
        return rule

    return register


def run(op: Op, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """Return what `op` gives on these inputs, or NotImplemented."""
    for arg, value in zip(op.inputs, inputs, strict=False):
        if arg.name in op.host and isinstance(value, RaggedTensor):
            raise value._no_tensor()  # an axis or a size cannot be ragged
    if op.ragged_rule is not None:
        return op.ragged_rule(op, inputs, attrs, name)
    if op.elementwise:
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


@ragged_rule(*(kind.dense for kind in _REDUCTIONS))
def _reduced(op: Op, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    rt, axis = inputs
    return reduction.reduce(_KINDS[op], rt, axis, attrs.get("keep_dims", False))


@ragged_rule(concat)
def _concat(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.concat(*inputs)


@ragged_rule(stack)
def _pack(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.stack(inputs[0], attrs["axis"])


@ragged_rule(expand_dims)
def _expand_dims(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.expand_dims(*inputs)


@ragged_rule(tile)
def _tile(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.tile(*inputs)


@ragged_rule(reverse)
def _reverse(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.reverse(*inputs)


@ragged_rule(squeeze)
def _squeeze(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.squeeze(inputs[0], attrs["squeeze_dims"])


@ragged_rule(dense_gather)
def _gather(op: Op, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    params, indices, axis = inputs
    axis = get_static_value(axis)
    if axis is None:
        raise ValueError("axis must be known when program is built.")
    return gather.gather(params, indices, int(axis), attrs["batch_dims"])


@ragged_rule(gather_nd)
def _gather_nd(op: Op, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    return gather.gather_nd(*inputs)


@ragged_rule(select_op, where_op)
def _where(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.where(*inputs)


@ragged_rule(old_select_op)
def _where_v1(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return arrangement.where_v1(*inputs)


@ragged_rule(rank)
def _rank(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return convert_to_tensor(inputs[0].shape.rank)


@ragged_rule(size)
def _size(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    return op.bind(inputs[0].flat_values, **attrs, name=name)


@ragged_rule(shape)
def _shape(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    # Unless asked for another, the splits' own dtype; the op's default cannot be told from asking.
    kind = attrs["out_type"]
    wanted = None if kind is dtypes.int32 else kind
    return DynamicRaggedShape.from_tensor(inputs[0], wanted)


@ragged_rule(one_hot)
def _one_hot(op: Op, inputs: Tensor, attrs: dict[str, Any], name: str | None) -> Any:
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


@ragged_rule(split_op)
def _split(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    axis, value = inputs
    return arrangement.split(value, attrs["num_split"], axis)


@ragged_rule(split_v_op)
def _split_v(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    value, sizes, axis = inputs
    static, count = get_static_value(sizes), attrs["num_split"]
    if static is None:
        return arrangement.split(value, _several(sizes, count), axis)
    if np.ndim(static) == 1 and len(static) != count:
        raise ValueError(
            "`num` does not match the size of `num_or_size_split`. Received `num`: "
            f"{count} and size of `num_or_size_split`: {len(static)}."
        )
    return arrangement.split(value, np.asarray(static).tolist(), axis)


def _several(sizes: Any, count: int) -> list[Any]:
    """Return so many sizes, one by one; it raises when run if there are others."""
    sizes = convert_to_tensor(sizes)
    if sizes.shape.rank != 1 or sizes.shape[0] is None:
        same = reduce_all(equal.bind(shape(sizes), [count], incompatible_shape_error=False))
        message = f"`num_or_size_splits` is inconsistent with num={count}"
        sizes = row_splits.checked(sizes, same, message)
    return [sizes[index] for index in range(count)]


@ragged_rule(reshape)
def _reshape(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    rt, shape = inputs
    if not isinstance(rt, RaggedTensor):
        return NotImplemented
    flat = rt.flat_values if rt.shape.rank == rt.ragged_rank + 1 else rt.merge_dims(0, rt.ndim - 1)
    return op.bind(flat, shape, name=name)


@ragged_rule(softmax_op, log_softmax_op)
def _softmax(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    rt = inputs[0]
    if rt.shape.rank != rt.ragged_rank + 1:
        return rt.with_flat_values(op.bind(rt.flat_values, name=name))
    last = rt.shape.rank - 1
    top = reduction.reduce(reduction.MAX, rt, last, True)
    low = elementwise.apply(_subtract, [rt, top])
    powers = low.with_flat_values(exp(low.flat_values))
    total = reduction.reduce(reduction.SUM, powers, last, True)
    if op is log_softmax_op.op:
        logs = (
            total.with_flat_values(log(total.flat_values))
            if isinstance(total, RaggedTensor)
            else log(total)
        )
        return elementwise.apply(_subtract, [low, logs])
    return elementwise.apply(_divide, [powers, total])


def _subtract(x: Tensor, y: Tensor) -> Any:
    return x - y


def _divide(x: Tensor, y: Tensor) -> Any:
    return x / y


@ragged_rule(matrix_product, batch_matrix_product, mixed_matrix_product)
def _matmul(op: Op, inputs: Tensor, attrs: dict[str, Any], name: str | None) -> Any:
    return matmul(op, inputs, attrs, name)


@ragged_rule(add_n_op)
def _add_n(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    return elementwise.apply(lambda *flat: op.bind(list(flat), name=name), list(inputs[0]))


@ragged_rule(reduce_join)
def _reduce_join(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    rt, axis = inputs
    return reduction.join(rt, axis, attrs["keep_dims"], attrs["separator"])


@ragged_rule(cumsum, cumprod)
def _scan(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    """Sums (products) along an axis: padding with 0 (1) changes none of them."""
    rt, axis = inputs
    padding = convert_to_tensor(0 if op is cumsum.op else 1, rt.dtype)
    dense = op.bind(rt.to_tensor(padding), axis, **attrs, name=name)
    lengths = list(rt.nested_row_lengths())
    nested = lengths if len(lengths) > 1 else lengths[0]
    return from_tensor(dense, nested, None, len(lengths), rt._partition.dtype)


@ragged_rule(dynamic_partition)
def _dynamic_partition(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    count = attrs["num_partitions"]
    data, partitions = inputs
    rows = stack_dynamic_partitions(data, partitions, count)
    return [rows[index] for index in range(count)]


def _check_segments(ids: Any, count: Any, data: RaggedTensor) -> None:
    """Refuse segments that NumPy would take for others: of another length, or beyond the last."""
    if not row_splits.is_known(ids, count):
        return
    if not np.issubdtype(count.dtype, np.integer):
        raise TypeError(f"Cannot convert {count} to EagerTensor of dtype int32")
    rows = data._partition.static_nrows
    if rows is not None and ids.shape != (rows,):
        raise invalid(
            f"data.shape = [{rows}] does not start with segment_ids.shape = {list(ids.shape)}"
        )
    wrong = np.flatnonzero((ids < 0) | (ids >= count))
    if wrong.size:
        at = wrong[0]
        raise invalid(f"segment_ids[{at}] = {ids[at]} is out of range [0, {count})")


@ragged_rule(*(kind.segments for kind in _BY_SEGMENT))
def _segment(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    data, segment_ids, count = inputs
    if isinstance(segment_ids, RaggedTensor):
        data = as_values(data)
        segment_ids, data = segment_ids.flat_values, data.flat_values
        return op.bind(data, segment_ids, count, name=name)
    segment_ids = convert_to_tensor(segment_ids)
    if segment_ids.dtype not in dtypes.INDEX:
        raise ValueError("segment_ids must have dtype int32 or int64.")
    ids = row_splits.content(segment_ids)
    count = row_splits.content(convert_to_tensor(count, dtype_hint=dtypes.int32))
    _check_segments(ids, count, data)
    return reduction.segment(_SEGMENT_KINDS[op], data, ids, count)


@ragged_rule(dense_bincount_op)
def _bincount(op: Op, inputs: Tensor, attrs: dict[str, Any], name: str | None) -> Any:
    rt, size, weights = inputs
    if isinstance(weights, RaggedTensor):
        weights = weights.flat_values
    splits = cast(rt.row_splits, dtypes.int64)
    return ragged_bincount_op(splits, rt.values, size, weights, **attrs, name=name)
