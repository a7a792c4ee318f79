"""The bits of a tensor read as another dtype, and their fingerprint."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import NUMBERS, QUANTIZED_DTYPES, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import seen_as
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.strings.fingerprints import fingerprint64
from placewise.ops.values import TORCH, Content, dtype_of
from placewise.ops.work import view_work


@op(
    "Bitcast(input: T; type: type) -> output: type",
    wide_unsigned=True,
    T=NUMBERS,
    elementwise=True,
    work=view_work,
    type=NUMBERS | QUANTIZED_DTYPES,
)
def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Any:
    """Return the bits of `input` read as `type`.

    A narrower type adds a last dimension, a wider one takes it away.
    """
    return bitcast.bind(input, type=dtypes.as_dtype(type), name=name)


def _ratio(source: DType, target: DType) -> tuple[int, bool]:
    if source.size >= target.size:
        return source.size // target.size, True
    return target.size // source.size, False


@bitcast.shape
def bitcast_shape(input: Static, *, type: DType) -> Dims:
    if input.shape is None:
        return None
    ratio, narrower = _ratio(input.dtype, type)
    if ratio == 1:
        return input.shape
    if narrower:
        return (*input.shape, ratio)
    if not input.shape or input.shape[-1] not in (None, ratio):
        raise ValueError(f"Cannot bitcast due to shape. {input.shape} does not end in {ratio}")
    return input.shape[:-1]


@bitcast.kernel
def bitcast_kernel(input: torch.Tensor, *, type: DType) -> Any:
    source = dtype_of(input)
    ratio, narrower = _ratio(source, type)
    if ratio == 1:
        return seen_as(input, TORCH[type])
    if narrower:
        return seen_as(input.unsqueeze(-1).contiguous(), TORCH[type])
    if not input.dim() or input.shape[-1] != ratio:
        raise invalid(f"Cannot bitcast from {source.as_datatype_enum} to {type.as_datatype_enum}")
    return seen_as(input.contiguous(), TORCH[type]).squeeze(-1)


@bitcast.gradient
def bitcast_gradient(call: Call, dy: Tensor) -> Any:
    return None


@op(
    "Fingerprint(data: T, method: string) -> fingerprint: uint8",
    devices=("CPU",),
    differentiable=False,
)
def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Any:
    """Return a row of 8 bytes per row of `data` that stands for its content (FarmHash)."""
    return fingerprint.bind(data, method, name)


@fingerprint.shape
def fingerprint_shape(data: Static, method: Static) -> Dims:
    if data.shape is not None and not data.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return (None if data.shape is None else data.shape[0], 8)


@fingerprint.kernel
def fingerprint_kernel(data: Content, method: Any) -> Any:
    if method.shape != ():
        raise invalid(f"`method` should be a scalar string: {bracketed(method.shape)}")
    if method[()] != b"farmhash64":
        raise invalid(f"Unsupported fingerprint method: {method[()].decode()}")
    if not len(data.shape):
        raise invalid(f"`data` should have at least one dimension: {bracketed(data.shape)}")
    rows = data.shape[0]
    if isinstance(data, np.ndarray):
        hashes = _text_hashes(data.reshape(rows, math.prod(data.shape[1:])))
    else:
        flat = data.contiguous().reshape(rows, math.prod(data.shape[1:]))
        # torch sees no bytes in rows of nothing.
        bytes_of = flat.view(torch.uint8).numpy() if flat.numel() else np.zeros((rows, 0), "u1")
        hashes = [fingerprint64(row.tobytes()) for row in bytes_of]
    made = np.asarray(hashes, "<u8").view(np.uint8).reshape(rows, 8)
    return torch.from_numpy(made.copy())


def _text_hashes(rows: np.ndarray[Any, Any]) -> list[int]:
    """Return one hash per row: of its string, or of the hashes of its strings."""
    each = [[fingerprint64(item) for item in row] for row in rows]
    if rows.shape[1] == 1:
        return [row[0] for row in each]
    return [fingerprint64(np.asarray(row, "<u8").tobytes()) for row in each]
