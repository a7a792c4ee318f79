"""Feature crosses: every combination of one feature from each column, joined or hashed."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text
from placewise.ops.convert import convert_to_tensor, not_allowed
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.math.cast import cast
from placewise.ops.sparse.places import numbers
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse, is_sparse
from placewise.ops.strings.fingerprints import fingerprint64, siphash
from placewise.ops.values import Content, dtype_of, from_numpy

if TYPE_CHECKING:
    import torch


HASH_KEY = 0xDECAFCAFFE
_MASK = (1 << 64) - 1
_FEATURES = frozenset({dtypes.int64, dtypes.string})
_MULTIPLIER = 0xC6A4A7935BD1E995


def combined_hash(first: int, second: int) -> int:
    """Return two 64-bit fingerprints as one."""
    code = first ^ _MULTIPLIER
    code ^= (_mixed((second * _MULTIPLIER) & _MASK) * _MULTIPLIER) & _MASK
    code = (code * _MULTIPLIER) & _MASK
    return _mixed((_mixed(code) * _MULTIPLIER) & _MASK)


def _mixed(code: int) -> int:
    return code ^ (code >> 47)


def _check_features(values: Any, dense_inputs: Any) -> None:
    """Refuse features that are neither integers nor text."""
    for attr, parts in (("sparse_types", values), ("dense_types", dense_inputs)):
        for dtype in map(dtype_of, parts):
            if dtype not in _FEATURES:
                raise not_allowed(attr, dtype, _FEATURES)


def fingerprint(feature: Any) -> int:
    """Return the 64-bit fingerprint of a feature: integers stand for themselves."""
    if isinstance(feature, bytes):
        return int(fingerprint64(feature))
    return int(feature) & _MASK


def hashed_features(features: tuple[Any, ...], hash_key: int, num_buckets: int) -> int:
    """Return the bucket of one combination of features."""
    code = hash_key
    for feature in features:
        code = combined_hash(code, fingerprint(feature))
    return _in_bucket(code, num_buckets)


def _in_bucket(code: int, num_buckets: int) -> int:
    return code % num_buckets if num_buckets > 0 else code % (2**63 - 1)


def _check_parts(
    indices: list[Any], values: list[Any], shapes: list[Any], dense_inputs: list[Any]
) -> None:
    """Raise for parts of columns whose ranks or sizes do not fit, in TensorFlow's words."""
    for at, (places, features, size) in enumerate(zip(indices, values, shapes, strict=True)):
        for what, part, rank, noun in (
            ("indices", places, 2, "matrix"),
            ("values", features, 1, "vector"),
            ("shapes", size, 1, "vector"),
        ):
            if len(part.shape) != rank:
                shown = f"but received shape {bracketed(part.shape)} at position {at}"
                raise invalid(f"Input {what} should be a {noun} {shown}")
        if places.shape[1] != 2:
            raise invalid(f"Expected D2 of index to be 2 got {places.shape[1]} at position {at}")
        if places.shape[0] != features.shape[0]:
            raise invalid(
                f"Expected size of values to be {places.shape[0]} got {features.shape[0]} at "
                f"position {at}"
            )
        if size.size != 2:
            raise invalid(f"shape should imply a 2D tensor, but got [{size.size}] at position {at}")
    for at, each in enumerate(dense_inputs):
        if len(each.shape) != 2:
            shown = f"but received shape {bracketed(each.shape)} at position {at}"
            raise invalid(f"Dense inputs should be a matrix {shown}")


def _columns(
    indices: list[Any], values: list[Any], shapes: list[Any], dense_inputs: list[Any]
) -> tuple[list[Any], int]:
    """Return, per column, the features of each row; and the number of rows."""
    _check_parts(indices, values, shapes, dense_inputs)
    columns = []
    counts = [int(shape[0]) for shape in shapes] + [len(each) for each in dense_inputs]
    if not counts:
        return [], 0
    if len(set(counts)) > 1:
        raise invalid(f"Expected batch size {counts[0]}, got {counts}")
    for places, features in zip(indices, values, strict=True):
        rows: list[list[Any]] = [[] for _ in range(counts[0])]
        given = numbers(features).tolist()
        for row, feature in zip(numbers(places)[:, 0].tolist(), given, strict=True):
            rows[row].append(feature)
        columns.append(rows)
    columns += [numbers(each).tolist() for each in dense_inputs]
    return columns, counts[0]


def _crossed(
    columns: list[Any], count: int, join: Callable[..., Any]
) -> tuple[Any, list[Any], Any]:
    places, made, widest = [], [], 0
    for row in range(count):
        combinations = list(itertools.product(*[column[row] for column in columns]))
        widest = max(widest, len(combinations))
        places += [(row, position) for position in range(len(combinations))]
        made += [join(each) for each in combinations]
    indices = np.asarray(places, np.int64).reshape(-1, 2)
    return indices, made, np.asarray([count, widest], np.int64)


def _text(feature: Any) -> bytes:
    return feature if isinstance(feature, bytes) else str(feature).encode()


_INPUTS = "indices: N*int64, values: [sparse_types], shapes: N*int64, dense_inputs: [dense_types]"
_OUTPUTS = "output_indices: int64, output_values: {}, output_shape: int64"

sparse_cross_v2 = define(
    f"SparseCrossV2({_INPUTS}, sep: string) -> {_OUTPUTS.format('string')}",
    devices=("CPU",),
    host=("shapes",),
    differentiable=False,
    doc="Return all combinations of features, as text.",
)


def _cross_shape(*_: object, **__: object) -> list[Dims]:
    return [(None, 2), (None,), (2,)]


sparse_cross_v2.shape(_cross_shape)


@sparse_cross_v2.kernel
def sparse_cross_v2_kernel(
    indices: Any, values: Any, shapes: Any, dense_inputs: Any, sep: Any
) -> Any:
    if sep.ndim:
        raise invalid(f"Input separator should be a scalar. Received: {sep.shape}")
    _check_features(values, dense_inputs)
    columns, count = _columns(indices, values, shapes, dense_inputs)
    glue = sep[()]
    places, made, shape = _crossed(columns, count, lambda features: glue.join(map(_text, features)))
    texts = np.array([*made, None], dtype=object)[:-1]
    return from_numpy(places), texts, from_numpy(shape)


sparse_cross = define(
    f"SparseCross({_INPUTS}; hashed_output: bool, num_buckets: int >= 0, hash_key: int,"
    f" out_type: type, internal_type: type) -> {_OUTPUTS.format('out_type')}",
    devices=("CPU",),
    host=("shapes",),
    differentiable=False,
    doc="Return all combinations of features, hashed or as text.",
    out_type=_FEATURES,
    internal_type=_FEATURES,
)
sparse_cross.shape(_cross_shape)


@sparse_cross.kernel
def sparse_cross_kernel(
    indices: list[torch.Tensor],
    values: list[Content],
    shapes: list[np.ndarray[Any, Any]],
    dense_inputs: list[Content],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
    internal_type: DType,
) -> Any:
    _check_features(values, dense_inputs)
    if internal_type is dtypes.string:
        for what, parts in (("Input values", values), ("Dense inputs", dense_inputs)):
            if not all(map(is_text, parts)):
                raise invalid(f"{what} should be of internal type 7 but received 9")
    columns, count = _columns(indices, values, shapes, dense_inputs)
    # TensorFlow's kernel goes by the dtype of the result; `hashed_output` says the same to readers.
    if out_type is dtypes.string:
        places, made, shape = _crossed(
            columns, count, lambda features: b"_X_".join(map(_text, features))
        )
        texts = np.array([*made, None], dtype=object)[:-1]
        return from_numpy(places), texts, from_numpy(shape)
    places, made, shape = _crossed(
        columns, count, lambda features: hashed_features(features, hash_key, num_buckets)
    )
    return from_numpy(places), from_numpy(np.asarray(made, np.int64)), from_numpy(shape)


sparse_cross_hashed = define(
    f"SparseCrossHashed({_INPUTS}, num_buckets: int64, strong_hash: bool, salt: int64)"
    f" -> {_OUTPUTS.format('int64')}",
    devices=("CPU",),
    host=("shapes",),
    differentiable=False,
    doc="Return all combinations of features, hashed; text by a keyed hash if `strong_hash`.",
)
sparse_cross_hashed.shape(_cross_shape)


@sparse_cross_hashed.kernel
def sparse_cross_hashed_kernel(
    indices: list[torch.Tensor],
    values: list[Content],
    shapes: list[np.ndarray[Any, Any]],
    dense_inputs: list[Content],
    num_buckets: torch.Tensor,
    strong_hash: torch.Tensor,
    salt: torch.Tensor,
) -> Any:
    if salt.numel() != 2:
        raise invalid(f'Input "salt" must have length 2 but has length {salt.numel()}')
    first, second = (part & _MASK for part in numbers(salt).reshape(-1).tolist())
    is_strong = bool(numbers(strong_hash).reshape(-1)[0])
    buckets = int(numbers(num_buckets).reshape(-1)[0])

    def hashed(features: tuple[Any, ...]) -> int:
        codes = [
            siphash(feature, (first, second))
            if is_strong and isinstance(feature, bytes)
            else fingerprint(feature)
            for feature in features
        ]
        return _in_bucket(functools.reduce(combined_hash, codes), buckets)

    places, made, shape = _crossed(*_columns(indices, values, shapes, dense_inputs), hashed)
    return from_numpy(places), from_numpy(np.asarray(made, np.int64)), from_numpy(shape)


def _split_inputs(inputs: Tensor) -> tuple[list[SparseTensor], list[Any]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    sparse, dense = [], []
    for each in inputs:
        if is_sparse(each):
            sparse.append(as_sparse(each))
        elif hasattr(each, "_nested_row_partitions"):
            raise TypeError("inputs must be SparseTensors or Tensors")
        else:
            dense.append(convert_to_tensor(each))
    return sparse, dense


def _wide(value: Tensor) -> Any:
    if value.dtype is dtypes.string or value.dtype is dtypes.int64:
        return value

    return cast(value, dtypes.int64)


def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Return all combinations of one feature of each input, row by row, as text."""
    sparse, dense = _split_inputs(inputs)
    glue = "_X_" if separator is None else separator
    parts = sparse_cross_v2(
        [each.indices for each in sparse],
        [_wide(each.values) for each in sparse],
        [each.dense_shape for each in sparse],
        [_wide(each) for each in dense],
        convert_to_tensor(glue),
        name,
    )
    return SparseTensor(*parts)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Return all combinations of one feature of each input, row by row, as hash buckets."""
    sparse, dense = _split_inputs(inputs)
    parts = sparse_cross(
        [each.indices for each in sparse],
        [_wide(each.values) for each in sparse],
        [each.dense_shape for each in sparse],
        [_wide(each) for each in dense],
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=HASH_KEY if hash_key is None else hash_key,
        out_type=dtypes.int64,
        internal_type=dtypes.int64,  # takes strings and integers side by side
        name=name,
    )
    return SparseTensor(*parts)
