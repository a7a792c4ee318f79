"""A tensor cut into several along an axis: split."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes, nest
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, divided
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.contents import is_text
from placewise.ops.convert import contains_tensor, convert_to_tensor, host_constant
from placewise.ops.declare import Call, define
from placewise.ops.families import check_output_count
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.values import Content

split_op = define(
    "Split(split_dim: int32, value: T; num_split: int >= 1) -> output: num_split*T",
    host=("split_dim",),
    doc="Return `value` cut into `num_split` equal parts along an axis.",
    result="view",
    node_name="split",
    argument_names={"split_dim": "axis"},
)
split_v_op = define(
    "SplitV(value: T, size_splits: Tlen, split_dim: int32;"
    " num_split: int >= 1) -> output: num_split*T",
    host=("size_splits", "split_dim"),
    Tlen=INDEX | {dtypes.int8},
    doc="Return `value` cut into parts of the given sizes along an axis; one may be -1: the rest.",
    result="view",
    node_name="split",
    argument_names={"split_dim": "axis"},
)


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    """Return the list of parts of `value`, cut along `axis`.

    `value`: any tensor of rank 1 or more.
    `num_or_size_splits`: the number of equal parts, or the sizes of the parts; one size may be -1,
        which stands for what is left.
    `axis`: the axis to cut; a negative one counts from the last.
    `num`: how many parts there are, where the sizes are a tensor of unknown length.

    Raises InvalidArgumentError, in graphs ValueError, if the parts do not add up to the axis.

    >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5], [2, -1])]
    [[1, 2], [3, 4, 5]]
    """
    count = _whole_number(num_or_size_splits)
    if count is not None:
        if count < 1 and isinstance(value, nest.Composite):
            raise ValueError(
                f"`num_or_size_splits` must be >=1 if it is an `int`. Received {count}."
            )
        if is_tf1_graph():
            convert_to_tensor(count)  # unread, but TensorFlow 1 makes it and seeds count nodes
        return split_op(axis, value, num_split=count, name=name)
    sizes = num_or_size_splits
    if not isinstance(sizes, Tensor):
        sizes = (
            host_constant(sizes, None)
            if current.interpreter is Scope.eager
            and not (isinstance(sizes, (list, tuple)) and contains_tensor(sizes))
            else convert_to_tensor(sizes)
        )
    shape = sizes.shape if isinstance(sizes, np.ndarray) else sizes._shape_tuple
    if shape == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = None if shape is None else shape[0]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {shape}")
    if isinstance(sizes, np.ndarray) and sizes.dtype == np.float32 and not sizes.size:
        sizes = sizes.astype(np.int32)
    return split_v_op(value, sizes, axis, num_split=num, name=name)


def _whole_number(value: Any) -> int | None:
    """Return a count of parts; sizes of parts, and tensors, are none."""
    if isinstance(value, (Tensor, np.ndarray)) or not hasattr(value, "__index__"):
        return None
    return int(value)


def _front(axis: np.ndarray[Any, Any], rank: int) -> int:
    if axis.ndim and axis.size != 1:
        raise invalid(f"split_dim must be a scalar but has rank {axis.ndim}")
    at = int(axis.reshape(-1)[0])
    if not -rank <= at < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")
    return at % rank


def _cut(value: Any, lengths: list[int], at: int) -> list[Any]:
    if is_text(value):
        return np.split(value, np.cumsum(lengths)[:-1], at)
    return list(value.split(lengths, at))


@split_op.shape
def split_shape(split_dim: Static, value: Static, *, num_split: int) -> list[Dims]:
    check_output_count("num_split", num_split)
    if value.shape is None:
        return [None] * num_split
    if split_dim.value is None:
        return [(None,) * len(value.shape)] * num_split
    rank, at = len(value.shape), int(np.asarray(split_dim.value).reshape(-1)[0])
    if not -rank <= at < rank:
        raise ValueError(f"split_dim {at} is out of range for a tensor of rank {rank}")
    at %= rank
    each = divided(value.shape[at], num_split)
    return [(*value.shape[:at], each, *value.shape[at + 1 :])] * num_split


@split_op.kernel
def split_kernel(split_dim: np.ndarray[Any, Any], value: Content, *, num_split: int) -> Any:
    at = _front(split_dim, len(value.shape))
    size = value.shape[at]
    if num_split <= 0 or size % num_split:
        raise invalid(
            f"Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{at} (size = {size}) and num_split {num_split}"
        )
    return _cut(value, [size // num_split] * num_split, at)


@split_op.gradient
def split_gradient(call: Call, *dys: Any) -> Any:
    return None, concat(list(dys), call.inputs[0])


@split_v_op.shape
def split_v_shape(
    value: Static, size_splits: Static, split_dim: Static, *, num_split: int
) -> list[Dims]:
    check_output_count("num_split", num_split)
    if value.shape is None:
        return [None] * num_split
    rank = len(value.shape)
    if split_dim.value is None:
        return [(None,) * rank] * num_split
    at = int(np.asarray(split_dim.value).reshape(-1)[0])
    if not -rank <= at < rank:
        raise ValueError(f"split_dim {at} is out of range for a tensor of rank {rank}")
    at %= rank
    lengths: list[int | None] = [None] * num_split
    if size_splits.value is not None:
        lengths = _lengths(value.shape[at], np.asarray(size_splits.value).reshape(-1).tolist())
    return [(*value.shape[:at], n, *value.shape[at + 1 :]) for n in lengths]


def _lengths(size: int | None, given: list[int]) -> list[int | None]:
    """Return the lengths of the parts, that of one given as -1 worked out."""
    if given.count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    rest = sum(n for n in given if n != -1)
    left = None if size is None else size - rest
    lengths = [left if n == -1 else n for n in given]
    for index, n in enumerate(lengths):
        if n is not None and n < 0:
            raise ValueError(f"Split size at index {index} must be >= 0. Got: {n}")
    if -1 not in given and left:
        shown = ",".join(map(str, given))
        raise ValueError(f"can't split axis of size {size} into pieces of size [{shown}]")
    return lengths


@split_v_op.kernel
def split_v_kernel(
    value: Content,
    size_splits: np.ndarray[Any, Any],
    split_dim: np.ndarray[Any, Any],
    *,
    num_split: int,
) -> Any:
    rank = len(value.shape)
    if not rank:
        raise invalid("Cannot split scalars")
    at = _front(split_dim, rank)
    lengths = size_splits.tolist()
    if size_splits.ndim != 1 or len(lengths) != num_split:
        raise invalid(
            "shape of size_splits must be one-dimensional and have the same number of elements as "
            f"the output. Got {size_splits.ndim}-D and {size_splits.size} elements"
        )
    if lengths.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    size, known = value.shape[at], sum(n for n in lengths if n != -1)
    if known > size or (-1 not in lengths and known != size):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {known}"
        )
    lengths = [size - known if n == -1 else n for n in lengths]
    for index, length in enumerate(lengths):
        if length < 0:
            raise invalid(f"Split size at index {index} must be >= 0. Got: {length}")
    return _cut(value, lengths, at)


@split_v_op.gradient
def split_v_gradient(call: Call, *dys: Any) -> Any:
    return concat(list(dys), call.inputs[2]), None, None
