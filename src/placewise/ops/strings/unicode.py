"""Text in Unicode: decoded, encoded, split into characters, transcoded, asked for its script."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import reshape, shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define, op
from placewise.ops.families import same_shape
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.strings.codecs import (
    Policy,
    decoded,
    decoded_with_offsets,
    decoder_name,
    encoded,
)
from placewise.ops.strings.contents import mapped, strings
from placewise.ops.strings.scripts import script_runs
from placewise.ops.values import TORCH

_ATTRS = (
    "input_encoding: string, errors: 'strict'|'replace'|'ignore' = 'replace',"
    " replacement_char: int = 65533,"
    " replace_control_characters: bool = False"
)

unicode_decode_op = define(
    f"UnicodeDecode(input: string; {_ATTRS}, Tsplits: type = int64)"
    " -> row_splits: Tsplits, char_values: int32",
    devices=("CPU",),
    differentiable=False,
    doc="Return the code points of strings, row by row.",
    Tsplits=INDEX,
)
unicode_decode_op.shape(lambda input, **_: [(None,), (None,)])

unicode_decode_with_offsets_op = define(
    f"UnicodeDecodeWithOffsets(input: string; {_ATTRS}, Tsplits: type = int64)"
    " -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    devices=("CPU",),
    differentiable=False,
    doc="Return the code points of strings, row by row, and where they begin.",
    Tsplits=INDEX,
)
unicode_decode_with_offsets_op.shape(lambda input, **_: [(None,), (None,), (None,)])


def _splits(rows: list[list[int]], dtype: DType) -> torch.Tensor:
    ends = np.cumsum([0] + [len(row) for row in rows])
    return torch.from_numpy(ends).to(TORCH[dtype])


def _flat(rows: list[list[int]], dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor([each for row in rows for each in row], dtype=dtype)


def _native_points(
    input: np.ndarray[Any, Any], codec: str, policy: Policy, dtype: DType, with_offsets: bool
) -> Any:
    """Return splits, code points and offsets of sound UTF-8; None for other strings."""
    if native.code is None or codec != "utf-8" or policy.replace_controls:
        return None
    texts = np.asarray(input, order="C")
    sizes = np.empty(texts.size, np.int32)
    native.code.string_lengths(texts, sizes, False)
    splits, most = np.empty(texts.size + 1, np.int64), int(sizes.sum(dtype=np.int64))
    points = np.empty(most, np.int32)
    offsets = np.empty(most, np.int64) if with_offsets else None
    count = native.code.decode_utf8(texts, splits, points, offsets)
    if count < 0:
        return None
    return (
        torch.from_numpy(splits).to(TORCH[dtype]),
        torch.from_numpy(points[:count].copy()),
        None if offsets is None else torch.from_numpy(offsets[:count].copy()),
    )


@unicode_decode_op.kernel
def unicode_decode_kernel(
    input: np.ndarray[Any, Any],
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,  # noqa: N803 - TensorFlow's own name
) -> Any:
    policy = Policy(errors, replacement_char, replace_control_characters)
    policy.check()
    codec = decoder_name(input_encoding)
    if (made := _native_points(input, codec, policy, Tsplits, False)) is not None:
        return made[:2]
    rows = [decoded(each, codec, policy) for each in input.reshape(-1).tolist()]
    return _splits(rows, Tsplits), _flat(rows, torch.int32)


@unicode_decode_with_offsets_op.kernel
def unicode_decode_with_offsets_kernel(
    input: np.ndarray[Any, Any],
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,  # noqa: N803 - TensorFlow's own name
) -> Any:
    policy = Policy(errors, replacement_char, replace_control_characters)
    policy.check()
    codec = decoder_name(input_encoding)
    if (made := _native_points(input, codec, policy, Tsplits, True)) is not None:
        return made
    both = [decoded_with_offsets(each, codec, policy) for each in input.reshape(-1).tolist()]
    rows, offsets = [each[0] for each in both], [each[1] for each in both]
    return _splits(rows, Tsplits), _flat(rows, torch.int32), _flat(offsets, torch.int64)


def _decode(input: TensorLike, function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return what `function` of a vector gives (splits, then values) as ragged tensors.

    One dimension more than the input; vectors for a single string.
    """
    if isinstance(input, RaggedTensor):
        inner = _decode(input.flat_values, function)
        return tuple(input.with_flat_values(each) for each in inner)
    input = convert_to_tensor(input, dtypes.string)
    rank = input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        return tuple(function(input[None])[1:])
    if rank > 1:
        return _decode(RaggedTensor.from_tensor(input, ragged_rank=rank - 1), function)
    splits, *values = function(input)
    return tuple(RaggedTensor.from_row_splits(v, splits, validate=False) for v in values)


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return the code points of strings: one ragged dimension more, or a vector."""
    return _decode(
        input,
        lambda flat: unicode_decode_op(
            flat,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
            name=name,
        ),
    )[0]


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return the code points of strings, and the byte at which each begins."""
    return _decode(
        input,
        lambda flat: unicode_decode_with_offsets_op(
            flat,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
            name=name,
        ),
    )


unicode_encode_op = define(
    "UnicodeEncode(input_values: int32, input_splits: Tsplits;"
    " errors: 'ignore'|'replace'|'strict' = 'replace',"
    " output_encoding: 'UTF-8'|'UTF-16-BE'|'UTF-32-BE',"
    " replacement_char: int = 65533) -> output: string",
    devices=("CPU",),
    differentiable=False,
    Tsplits=INDEX,
    doc="Return rows of code points as strings.",
)


@unicode_encode_op.shape
def unicode_encode_shape(input_values: Static, input_splits: Static, **_: object) -> Dims:
    shape = input_splits.shape
    return (None,) if not shape or shape[0] is None else (shape[0] - 1,)


@unicode_encode_op.kernel
def unicode_encode_kernel(
    input_values: torch.Tensor,
    input_splits: torch.Tensor,
    *,
    errors: str,
    output_encoding: str,
    replacement_char: int,
) -> Any:
    policy = Policy(errors, replacement_char)
    policy.check()
    points, splits = input_values.tolist(), input_splits.tolist()
    if splits and splits[0] != 0:
        raise invalid("First value in input_splits must be zero.")
    if not splits or splits[-1] != len(points):
        raise invalid("Last value in input_splits must be equal to length of input_tensor.")
    codec = decoder_name(output_encoding)
    rows = pairwise(splits)
    return strings((encoded(points[a:b], codec, policy) for a, b in rows), (len(splits) - 1,))


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return the strings that code points make along the innermost dimension."""

    def rows_of(values: Tensor, splits: TensorLike) -> Any:
        return unicode_encode_op(
            values,
            splits,
            errors=errors,
            output_encoding=output_encoding,
            replacement_char=replacement_char,
            name=name,
        )

    if isinstance(input, RaggedTensor):
        if input.ragged_rank > 1 or isinstance(input.values, RaggedTensor):
            return input.with_values(
                unicode_encode(input.values, output_encoding, errors, replacement_char, name)
            )
        if len(input.flat_values.shape) > 1:
            inner = unicode_encode(
                input.flat_values, output_encoding, errors, replacement_char, name
            )
            return input.with_values(inner)
        return rows_of(input.values, input.row_splits)
    input = convert_to_tensor(input)
    dims = input._shape_tuple
    if not dims:
        raise ValueError("input_tensor's rank must be at least 1.")
    if None in dims:
        sizes = shape(input, dtypes.int64)
        splits = range_of(reduce_prod(sizes[:-1]) + 1) * sizes[-1]
        return reshape(rows_of(reshape(input, [-1]), splits), sizes[:-1])
    count = int(np.prod(dims[:-1], dtype=np.int64))
    splits = np.arange(count + 1, dtype=np.int64) * dims[-1]
    made = rows_of(reshape(input, [-1]), splits)
    return reshape(made, list(dims[:-1]))


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return the characters of strings, each a string."""
    points = unicode_decode(input, input_encoding, errors, replacement_char, name=name)
    return _each_encoded(points, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return the characters of strings, each a string, and the byte at which each begins."""
    points, offsets = unicode_decode_with_offsets(
        input, input_encoding, errors, replacement_char, name=name
    )
    return _each_encoded(points, input_encoding, errors, replacement_char), offsets


def _each_encoded(points: Any, encoding: str, errors: str, replacement: int) -> Any:
    if isinstance(points, RaggedTensor):
        return points.with_flat_values(
            _each_encoded(points.flat_values, encoding, errors, replacement)
        )
    count = points.shape[0]
    splits = (
        range_of(shape(points, dtypes.int64)[0] + 1)
        if count is None
        else np.arange(count + 1, dtype=np.int64)
    )
    return unicode_encode_op(
        points, splits, errors=errors, output_encoding=encoding, replacement_char=replacement
    )


@op(
    "UnicodeTranscode(input: string; input_encoding: string,"
    " output_encoding: 'UTF-8'|'UTF-16-BE'|'UTF-32-BE',"
    " errors: 'strict'|'replace'|'ignore' = 'replace', replacement_char: int = 65533,"
    " replace_control_characters: bool = False) -> output: string",
    devices=("CPU",),
    differentiable=False,
)
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return strings in another encoding."""
    return unicode_transcode.bind(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


unicode_transcode.shape(same_shape)


@unicode_transcode.kernel
def unicode_transcode_kernel(
    input: np.ndarray[Any, Any],
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> Any:
    policy = Policy(errors, replacement_char, replace_control_characters)
    policy.check()
    source, target = decoder_name(input_encoding), decoder_name(output_encoding)
    return mapped(lambda s: encoded(decoded(s, source, policy), target, policy), input)


@op(
    "UnicodeScript(input: int32) -> output: int32",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def unicode_script(input: TensorLike, name: str | None = None) -> Any:
    """Return the number of the script that each code point belongs to; -1 for none."""
    return unicode_script.bind(input, name)


unicode_script.shape(same_shape)


@unicode_script.kernel
def unicode_script_kernel(input: torch.Tensor) -> Any:
    runs = np.array(script_runs())
    starts, scripts = torch.from_numpy(runs[:, 0].copy()), torch.from_numpy(runs[:, 2].copy())
    place = torch.searchsorted(starts, input.long().contiguous(), right=True) - 1
    found = scripts[place.clamp(min=0)]
    return torch.where((input >= 0) & (input <= 0x10FFFF), found, -1).to(torch.int32)
