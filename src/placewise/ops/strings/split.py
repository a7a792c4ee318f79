"""Strings taken apart: at separators, or into bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.strings.contents import strings

string_split_v2 = define(
    "StringSplitV2(input: string, sep: string; maxsplit: int = -1)"
    " -> indices: int64, values: string, shape: int64",
    devices=("CPU",),
    differentiable=False,
    doc="Return the parts of strings between separators as a sparse matrix.",
)

string_split_op = define(
    "StringSplit(input: string, delimiter: string; skip_empty: bool = True)"
    " -> indices: int64, values: string, shape: int64",
    devices=("CPU",),
    differentiable=False,
    doc="Return the parts of strings between any of several characters as a sparse matrix.",
)


def _sparse_shapes(*_: object, **__: object) -> list[Dims]:
    return [(None, 2), (None,), (2,)]


string_split_v2.shape(_sparse_shapes)
string_split_op.shape(_sparse_shapes)


def _check(input: Any, sep: Any, name: str) -> bytes:
    if input.ndim != 1:
        raise invalid(f"input must be a vector, got shape: {bracketed(input.shape)}")
    if sep.ndim:
        raise invalid(f"{name} must be a scalar, got shape: {bracketed(sep.shape)}")
    text: bytes = sep[()]
    return text


def _sparse(rows: list[list[bytes]]) -> Any:
    """Return rows of parts as indices, values and shape of a sparse matrix."""
    lengths = np.array([len(row) for row in rows], np.int64)
    total = int(lengths.sum())
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    indices = np.stack([np.repeat(np.arange(len(rows)), lengths), np.arange(total) - starts], 1)
    widest = int(lengths.max()) if rows else 0
    values = strings((part for row in rows for part in row), (total,))
    return torch.from_numpy(indices), values, torch.tensor([len(rows), widest])


def _native_sparse(input: np.ndarray[Any, Any], sep: bytes) -> Any:
    """Return the parts of strings as indices, values and shape of a sparse matrix."""
    lengths = np.empty(len(input), np.int64)
    native.code.count_parts(input, sep, lengths)
    total = int(lengths.sum())
    values, indices = np.empty(total, object), np.empty((total, 2), np.int64)
    native.code.split_strings(input, sep, values, indices)
    widest = int(lengths.max()) if len(input) else 0
    return torch.from_numpy(indices), values, torch.tensor([len(input), widest])


@string_split_v2.kernel
def string_split_v2_kernel(
    input: np.ndarray[Any, Any], sep: np.ndarray[Any, Any], *, maxsplit: int
) -> Any:
    text = _check(input, sep, "sep") or None
    if native.code is not None and maxsplit < 0:
        return _native_sparse(np.asarray(input, order="C"), text or b"")
    if text is None:
        return _sparse([_at_spaces(each, maxsplit) for each in input.tolist()])
    return _sparse([each.split(text, maxsplit) for each in input.tolist()])


def _at_spaces(text: bytes, most: int) -> list[bytes]:
    """Return the words of a text and what is left after `most` of them, though it be nothing."""
    if not most:
        return [text]
    words = text.split(None, most)
    return [*words, b""] if len(words) == most else words


@string_split_op.kernel
def string_split_kernel(
    input: np.ndarray[Any, Any], delimiter: np.ndarray[Any, Any], *, skip_empty: bool
) -> Any:
    text = _check(input, delimiter, "delimiter")
    if not text:
        return _sparse([[each[i : i + 1] for i in range(len(each))] for each in input.tolist()])
    any_of = re.compile(b"[" + re.escape(text) + b"]")
    rows = [any_of.split(each) if each else [] for each in input.tolist()]
    if skip_empty:
        rows = [[part for part in row if part] for row in rows]
    return _sparse(rows)


def _by_rows(input: TensorLike, function: Callable[..., Any]) -> Any:
    """Return `function` of a vector, for strings of any rank: one ragged dimension more."""
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_by_rows(input.flat_values, function))
    input = convert_to_tensor(input, dtypes.string)
    rank = input.shape.rank
    if rank is None:
        raise ValueError("input must have a known rank.")
    if rank == 0:
        return function(input[None])[1]
    if rank > 1:
        ragged = RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
        return _by_rows(ragged, function)
    indices, values, shape = function(input)
    return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Return the parts of strings between `sep` (white space if None): ragged, or a vector."""
    sep = "" if sep is None else convert_to_tensor(sep, dtypes.string)
    return _by_rows(input, lambda flat: string_split_v2(flat, sep, maxsplit=maxsplit, name=name))


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """Return the bytes of strings, each a string."""
    return _by_rows(input, lambda flat: string_split_op(flat, "", skip_empty=False, name=name))


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: str = " ",
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Return what TensorFlow 1's `tf.string_split` does: parts between any of the characters."""
    sep = delimiter if sep is None else sep
    source = convert_to_tensor(source, dtypes.string)
    found = string_split_op(source, sep, skip_empty=skip_empty, name=name)
    return _as_result(found, result_type)


def split_v1(
    input: Tensor | None = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Return what TensorFlow 1's `tf.strings.split` does: parts as a sparse or ragged tensor."""
    input = source if input is None else input
    if result_type == "RaggedTensor":
        return split(input, sep, maxsplit, name)
    input = convert_to_tensor(input, dtypes.string)
    found = string_split_v2(input, "" if sep is None else sep, maxsplit=maxsplit, name=name)
    return _as_result(found, result_type)


def _as_result(found: Tensor, result_type: str) -> Any:
    indices, values, shape = found
    if result_type == "SparseTensor":
        return SparseTensor(indices, values, shape)
    if result_type == "RaggedTensor":
        return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)
    raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
