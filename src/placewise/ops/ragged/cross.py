"""Feature crosses of ragged (and sparse and dense) columns, row by row, as ragged tensors."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.cross import HASH_KEY, _text, _wide, hashed_features
from placewise.ops.sparse.places import numbers
from placewise.ops.sparse.sparse_tensor import as_sparse, is_sparse
from placewise.ops.values import TORCH, Content, from_numpy

if TYPE_CHECKING:
    import torch


ragged_cross = define(
    "RaggedCross(ragged_values: [ragged_values_types], ragged_row_splits: [ragged_splits_types],"
    " sparse_indices: Nsparse*int64, sparse_values: [sparse_values_types],"
    " sparse_shape: Nsparse*int64, dense_inputs: [dense_types]; input_order: string,"
    " hashed_output: bool, num_buckets: int >= 0, hash_key: int, out_values_type: type,"
    " out_row_splits_type: type)"
    " -> output_values: out_values_type, output_row_splits: out_row_splits_type",
    devices=("CPU",),
    host=("sparse_shape",),
    differentiable=False,
    doc="Return all combinations of one feature of each column, row by row.",
    out_row_splits_type=INDEX,
    out_values_type=frozenset({dtypes.int64, dtypes.string}),
)


@ragged_cross.shape
def ragged_cross_shape(
    ragged_values: list[Static],
    ragged_row_splits: list[Static],
    sparse_indices: list[Static],
    sparse_values: list[Static],
    sparse_shape: list[Static],
    dense_inputs: list[Static],
    **_: object,
) -> list[Dims]:
    dense = [each.shape for each in dense_inputs if each.shape is not None]
    if any(len(shape) != 2 for shape in dense):
        raise ValueError(_RANK)
    splits = [each.shape[0] for each in ragged_row_splits if each.shape]
    rows = {shape[0] for shape in dense} | {size - 1 for size in splits if size is not None}
    if len(rows - {None}) > 1:
        raise ValueError("inputs must all have the same batch dimension size.")
    return [(None,), (None,)]


_RANK = "tf.ragged.cross only supports inputs with rank=2."


def _check_splits(cuts: list[int], count: int) -> None:
    """Raise InvalidArgumentError unless splits cut `count` values into rows, without gaps."""
    reason = ""
    if not cuts:
        reason = "ragged splits must have at least one splits, but is empty"
    elif cuts[0] != 0:
        reason = f"first element of ragged splits  must be 0 but is {cuts[0]}"
    elif cuts[-1] != count:
        last = cuts[-1]
        reason = (
            f"last element of ragged splits must be the number of ragged values({count}) but is "
            f"{last}"
        )
    for index, (low, high) in enumerate(itertools.pairwise(cuts) if not reason else (), 1):
        if high < low:
            reason = (
                f"ragged splits must be monotonically increasing, but ragged_splits[{index}]="
                f"{high} is smaller than row_splits[{index - 1}]={low}"
            )
            break
    if reason:
        raise invalid(f"Invalid ragged splits: {reason}")


def _ragged_rows(values: Any, splits: Any) -> list[Any]:
    if len(values.shape) != 1 or len(splits.shape) != 1:
        raise invalid(_RANK)
    items, cuts = numbers(values).tolist(), numbers(splits).tolist()
    _check_splits(cuts, len(items))
    return [items[low:high] for low, high in itertools.pairwise(cuts)]


def _sparse_rows(number: int, indices: Any, values: Any, shape: Any) -> list[Any]:
    if len(indices.shape) != 2 or len(values.shape) != 1 or len(shape.shape) != 1:
        raise invalid(f"Invalid SparseTensor {number}")
    if len(shape) != 2 or indices.shape[1] != 2:
        raise invalid(_RANK)
    rows: list[list[Any]] = [[] for _ in range(int(shape[0]))]
    features = numbers(values).tolist()
    for row, feature in zip(numbers(indices)[:, 0].tolist(), features, strict=True):
        rows[row].append(feature)
    return rows


@ragged_cross.kernel
def ragged_cross_kernel(
    ragged_values: Any,
    ragged_row_splits: Any,
    sparse_indices: list[torch.Tensor],
    sparse_values: list[Content],
    sparse_shape: list[np.ndarray[Any, Any]],
    dense_inputs: list[Content],
    *,
    input_order: str,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_values_type: DType,
    out_row_splits_type: DType,
) -> Any:
    if len(ragged_values) != len(ragged_row_splits):
        raise invalid("ragged values and splits must have the same length")
    if len(sparse_indices) != len(sparse_values):
        raise invalid("sparse indices and values must have the same length")
    if any(len(each.shape) != 2 for each in dense_inputs):
        raise invalid(_RANK)
    ragged = iter(
        [_ragged_rows(*each) for each in zip(ragged_values, ragged_row_splits, strict=True)]
    )
    sparse = iter(
        [
            _sparse_rows(number, *each)
            for number, each in enumerate(
                zip(sparse_indices, sparse_values, sparse_shape, strict=True)
            )
        ]
    )
    dense = iter([numbers(each).tolist() for each in dense_inputs])
    order = input_order.decode() if isinstance(input_order, bytes) else input_order
    kinds = {"R": ragged, "S": sparse, "D": dense}
    counts = {"R": len(ragged_values), "S": len(sparse_values), "D": len(dense_inputs)}
    if any(order.count(letter) != counts.get(letter, 0) for letter in {*order, *counts}):
        raise invalid(f"Invalid length for input_order: {order!r} does not list inputs {counts}")
    columns = [next(kinds[letter]) for letter in order]
    if len({len(column) for column in columns}) > 1:
        raise invalid("inputs must all have the same batch dimension size.")
    made: list[Any] = []
    splits = [0]
    is_hashed = out_values_type is dtypes.int64  # which TensorFlow asks, not `hashed_output`
    for row in zip(*columns, strict=True):
        combinations = itertools.product(*row)
        if is_hashed:
            made += [hashed_features(each, hash_key, num_buckets) for each in combinations]
        else:
            made += [b"_X_".join(map(_text, each)) for each in combinations]
        splits.append(len(made))
    cuts = from_numpy(np.asarray(splits)).to(TORCH[out_row_splits_type])
    if is_hashed:
        return from_numpy(np.asarray(made, np.int64)), cuts
    return np.array([*made, None], dtype=object)[:-1], cuts


def _crossed(inputs: list[Any], hashed: bool, num_buckets: int, hash_key: Any, name: Any) -> Any:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    order, ragged, sparse, dense = "", [], [], []
    for number, given in enumerate(inputs):
        each: Any = as_sparse(given) if is_sparse(given) else convert_to_tensor(given)
        if not (each.dtype.is_integer or each.dtype is dtypes.string):
            raise ValueError(f"Unexpected dtype for inputs[{number}]: {each.dtype!r}")
        if is_sparse(each):
            order += "S"
            sparse.append(each)
        elif isinstance(each, RaggedTensor):
            if each.ragged_rank != 1:
                raise ValueError("tf.ragged.cross only supports inputs with rank=2")
            order += "R"
            ragged.append(each)
        else:
            order += "D"
            dense.append(_wide(each))
    splits = [each.row_splits for each in ragged]
    narrow = bool(splits) and all(each.dtype is dtypes.int32 for each in splits)
    values, cuts = ragged_cross(
        [_wide(each.values) for each in ragged],
        splits,
        [each.indices for each in sparse],
        [_wide(each.values) for each in sparse],
        [each.dense_shape for each in sparse],
        dense,
        input_order=order,
        hashed_output=hashed,
        num_buckets=num_buckets,
        hash_key=HASH_KEY if hash_key is None else hash_key,
        out_values_type=dtypes.int64 if hashed else dtypes.string,
        out_row_splits_type=dtypes.int32 if narrow else dtypes.int64,
        name=name,
    )
    return RaggedTensor.from_row_splits(values, cuts, validate=False)


def cross(inputs: Any, name: str | None = None) -> Any:
    """Return all combinations of one feature of each input, row by row, as text."""
    return _crossed(inputs, False, 0, None, name)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Return all combinations of one feature of each input, row by row, as hash buckets."""
    return _crossed(inputs, True, num_buckets, hash_key, name)
