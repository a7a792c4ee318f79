"""Diagonals and bands of matrices: taken out, put in, made into matrices."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import COMPLEX, FLOATS, INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import moving
from placewise.ops.array.creation import zeros_like
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.linalg.matrices import check_at_least, rank_at_least
from placewise.ops.math.reduction import reduce_sum

ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


@op(
    "MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> band: T",
    host=("num_lower", "num_upper"),
    Tindex=INDEX,
    default_types={"Tindex": dtypes.int64},
)
def band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Any:
    """Return matrices with zeros outside the band around the diagonal.

    `num_lower` diagonals below and `num_upper` above it are kept; all where negative.
    """
    return band_part.bind(input, _index(num_lower), _index(num_upper), name=name)


def _index(value: TensorLike) -> Any:
    if isinstance(value, float):
        return convert_to_tensor(value, np.int64)
    return value


@band_part.shape
def band_part_shape(input: Static, num_lower: Static, num_upper: Static) -> Dims:
    return rank_at_least(input.shape, 2)


@band_part.kernel
def band_part_kernel(
    input: Any, num_lower: np.ndarray[Any, Any], num_upper: np.ndarray[Any, Any]
) -> Any:
    check_at_least(input, 2)
    for what, value, size, of in (
        ("num_lower", num_lower, input.shape[-2], "rows"),
        ("num_upper", num_upper, input.shape[-1], "columns"),
    ):
        if value.ndim:
            raise invalid(f"{what} must be scalar, got shape {bracketed(value.shape)}")
        if value > size:
            raise invalid(
                f"{what} must be negative or less or equal to number of {of} ({size}) got: {value}"
            )
    lower, upper = int(num_lower), int(num_upper)
    matrices = host_array(input, torch.float32, torch.float64) if native.code else None
    if matrices is not None and matrices.size:
        # torch looks at each element; runs of a row are copied or cleared here.
        made = torch.empty_like(input)
        sizes = (*input.shape[-2:], lower, upper, input.element_size())
        native.code.band_part(matrices.view(np.uint8), made.view(torch.uint8).numpy(), *sizes)
        return made
    if lower >= 0:
        input = torch.triu(input, -lower)
    return torch.tril(input, upper) if upper >= 0 else input


band_part.kernel(moving(band_part_kernel), on="wide_unsigned")


@band_part.gradient
def band_part_gradient(call: Call, dy: Tensor) -> Any:
    _, num_lower, num_upper = call.inputs
    return band_part(dy, num_lower, num_upper), None, None


def _range_of(k: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Return the lowest and highest diagonal that `k` names."""
    given = np.asarray(k).reshape(-1).tolist()
    if not 1 <= len(given) <= 2 or np.ndim(k) > 1:
        raise invalid(
            f"diag_index must have only one or two elements, received {len(given)} elements."
        )
    lower, upper = given[0], given[-1]
    if lower > upper:
        raise invalid(
            f"lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
        )
    return lower, upper


def _longest(lower: int, upper: int, rows: int, columns: int) -> int:
    """Return the length of the longest diagonal of a range."""
    return min(rows + min(upper, 0), columns - max(lower, 0))


class _Packing(NamedTuple):
    """Which diagonals of which matrix lie packed in rows of one length, and how."""

    lower: int
    upper: int
    rows: int
    columns: int
    length: int
    align: str

    def starts(self, d: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return where in its packed row each diagonal begins, and how long it is."""
        size = torch.clamp(self.rows + d.clamp(max=0), max=self.columns - d.clamp(min=0))
        above, below = (end == "LEFT" for end in self.align.split("_"))
        to_left = torch.where(d > 0, above, torch.where(d < 0, below, above or below))
        return torch.where(to_left, 0, self.length - size), size


def _places(packing: _Packing, device: Any = "cpu") -> tuple[torch.Tensor, torch.Tensor]:
    """Return where the elements of packed diagonals sit in the matrix, and which of them exist."""
    d = torch.arange(packing.upper, packing.lower - 1, -1, device=device)[:, None]
    start, size = packing.starts(d)
    position = torch.arange(packing.length, device=device) - start
    exists = (position >= 0) & (position < size)
    place = (position - d.clamp(max=0)) * packing.columns + position + d.clamp(min=0)
    return torch.where(exists, place, 0), exists


def _sources(packing: _Packing, device: Any = "cpu") -> tuple[torch.Tensor, torch.Tensor]:
    """Return from where in packed diagonals the elements of the matrix come, and which do."""
    row = torch.arange(packing.rows, device=device)[:, None]
    d = torch.arange(packing.columns, device=device) - row
    start, _ = packing.starts(d)
    is_packed = (d >= packing.lower) & (d <= packing.upper)
    source = (packing.upper - d) * packing.length + start + row + d.clamp(max=0)
    return torch.where(is_packed, source, 0).reshape(-1), is_packed.reshape(-1)


# On the host they are kept; elsewhere they are quicker made than brought.
_known_places, _known_sources = lru_cache(256)(_places), lru_cache(256)(_sources)


def _check_bounds(lower: int, upper: int, rows: int, columns: int, stop: str) -> None:
    for what, d in (("lower_diag_index", lower), ("upper_diag_index", upper)):
        if not (-rows < d < columns) and d != 0:
            raise invalid(
                f"{what} is out of bound: {d}{stop} It must be between {-rows} and {columns}"
            )


@op(
    "MatrixDiagPartV3(input: T, k: int32, padding_value: T;"
    " align: 'LEFT_RIGHT'|'RIGHT_LEFT'|'LEFT_LEFT'|'RIGHT_RIGHT' = 'RIGHT_LEFT')"
    " -> diagonal: T",
    host=("k",),
    grows="square",
)
def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Return diagonal `k` of matrices, or the diagonals from k[0] to k[1], the highest first.

    Shorter diagonals are filled with `padding_value` on the side that `align` does not name, for
    those above and those below the main one.
    """
    input = convert_to_tensor(input)
    return diag_part.bind(input, k, _padding(padding_value, input), align=align, name=name)


def _padding(value: float, like: Tensor) -> Any:
    if like.dtype.is_bool and isinstance(value, int):
        value = bool(value)
    return value if hasattr(value, "dtype") else convert_to_tensor(value, like.dtype)


@diag_part.shape
def diag_part_shape(input: Static, k: Static, padding_value: Static, *, align: str) -> Dims:
    if rank_at_least(input.shape, 2) is None or k.value is None:
        return None
    lower, upper = _range_of(k.value)
    *batch, rows, columns = input.shape  # type: ignore[misc]
    length = None if rows is None or columns is None else _longest(lower, upper, rows, columns)
    middle = () if lower == upper else (upper - lower + 1,)
    return (*batch, *middle, length)


@diag_part.kernel
def diag_part_kernel(input: Any, k: np.ndarray[Any, Any], padding_value: Any, *, align: str) -> Any:
    lower, upper = _range_of(k)
    check_at_least(input, 2)
    if padding_value.numel() != 1:
        raise invalid("Padding must be scalar.")
    padding_value = padding_value.reshape(())
    *batch, rows, columns = input.shape
    _check_bounds(lower, upper, rows, columns, ".")
    if lower == upper:
        return torch.diagonal(input, lower, -2, -1)
    length = _longest(lower, upper, rows, columns)
    packing = _Packing(lower, upper, rows, columns, length, align)
    place, exists = _known_places(packing) if input.is_cpu else _places(packing, input.device)
    if not input.numel():
        return padding_value.expand(*batch, *place.shape)
    return torch.where(exists, input.reshape(*batch, rows * columns)[..., place], padding_value)


diag_part.kernel(moving(diag_part_kernel), on="wide_unsigned")


@diag_part.gradient
def diag_part_gradient(call: Call, dy: Tensor) -> Any:
    input, k, _ = call.inputs
    return set_diag(zeros_like(input), dy, k=k, align=call.attrs["align"]), None, None


@op(
    "MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T;"
    " align: 'LEFT_RIGHT'|'RIGHT_LEFT'|'LEFT_LEFT'|'RIGHT_RIGHT' = 'RIGHT_LEFT') -> output: T",
    host=("k", "num_rows", "num_cols"),
    grows="square",
)
def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Return matrices with `diagonal` on diagonal `k`, or on those from k[0] to k[1].

    The rest is `padding_value`; `num_rows` and `num_cols` default to the smallest that fit.
    """
    diagonal = convert_to_tensor(diagonal)
    return diag.bind(
        diagonal, k, num_rows, num_cols, _padding(padding_value, diagonal), align=align, name=name
    )


def _matrix_size(length: int, lower: int, upper: int, rows: int, columns: int) -> tuple[int, int]:
    least_rows, least_columns = length - min(upper, 0), length + max(lower, 0)
    if rows == -1 and columns == -1:
        side = max(least_rows, least_columns)
        return side, side
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows < least_rows:
        raise invalid("The number of rows is too small.")
    if columns < least_columns:
        raise invalid("The number of columns is too small.")
    if rows != least_rows and columns != least_columns:
        raise invalid(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal."
        )
    return rows, columns


@diag.shape
def diag_shape(
    diagonal: Static,
    k: Static,
    num_rows: Static,
    num_cols: Static,
    padding_value: Static,
    *,
    align: str,
) -> Dims:
    if rank_at_least(diagonal.shape, 1) is None or k.value is None:
        return None
    lower, upper = _range_of(k.value)
    batch = diagonal.shape[: -1 if lower == upper else -2]  # type: ignore[index]
    length = diagonal.shape[-1]  # type: ignore[index]
    if length is None or num_rows.value is None or num_cols.value is None:
        return (*batch, None, None)
    try:
        size = _matrix_size(length, lower, upper, int(num_rows.value), int(num_cols.value))
    except Exception as wrong:
        raise ValueError(str(wrong)) from None
    return (*batch, *size)


@diag.kernel
def diag_kernel(
    diagonal: Any,
    k: np.ndarray[Any, Any],
    num_rows: np.ndarray[Any, Any],
    num_cols: np.ndarray[Any, Any],
    padding_value: Any,
    *,
    align: str,
) -> Any:
    lower, upper = _range_of(k)
    check_at_least(diagonal, 1, "diagonal")
    if padding_value.dim():
        raise invalid("padding_value must be a scalar")
    count = upper - lower + 1
    if count > 1 and (diagonal.dim() < 2 or diagonal.shape[-2] != count):
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index "
            "and upper_diag_index range."
        )
    length = diagonal.shape[-1]
    rows, columns = _matrix_size(length, lower, upper, int(num_rows), int(num_cols))
    batch = diagonal.shape[: -1 if count == 1 else -2]
    blank = padding_value.expand(*batch, rows, columns)
    if count == 1:
        filled = blank.clone(memory_format=torch.contiguous_format)
        filled.diagonal(lower, -2, -1).copy_(diagonal)
        return filled
    return _filled(blank, diagonal, lower, upper, length, align)


def _filled(matrix: Any, diagonal: Any, lower: int, upper: int, length: int, align: str) -> Any:
    """Return a copy of `matrix` with packed diagonals put in."""
    *batch, rows, columns = matrix.shape
    packing = _Packing(lower, upper, rows, columns, length, align)
    source, is_packed = (
        _known_sources(packing) if matrix.is_cpu else _sources(packing, matrix.device)
    )
    packed = diagonal.reshape(*batch, diagonal.shape[-2] * length)
    put = packed.index_select(-1, source).reshape(matrix.shape)
    return torch.where(is_packed.reshape(rows, columns), put, matrix)


diag.kernel(moving(diag_kernel), on="wide_unsigned")


@diag.gradient
def diag_gradient(call: Call, dy: Tensor) -> Any:
    k = call.inputs[1]
    return diag_part(dy, k=k, align=call.attrs["align"]), None, None, None, None


@op(
    "MatrixSetDiagV3(input: T, diagonal: T, k: int32;"
    " align: 'LEFT_RIGHT'|'RIGHT_LEFT'|'LEFT_LEFT'|'RIGHT_RIGHT' = 'RIGHT_LEFT') -> output: T",
    host=("k",),
)
def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Return matrices with diagonal `k`, or those from k[0] to k[1], replaced by `diagonal`."""
    return set_diag.bind(input, diagonal, k, align=align, name=name)


@set_diag.shape
def set_diag_shape(input: Static, diagonal: Static, k: Static, *, align: str) -> Dims:
    rank_at_least(diagonal.shape, 1)
    return rank_at_least(input.shape, 2)


@set_diag.kernel
def set_diag_kernel(input: Any, diagonal: Any, k: np.ndarray[Any, Any], *, align: str) -> Any:
    lower, upper = _range_of(k)
    check_at_least(input, 2)
    check_at_least(diagonal, 1, "diagonal")
    *batch, rows, columns = input.shape
    _check_bounds(lower, upper, rows, columns, "")
    count = upper - lower + 1
    if count > 1 and (diagonal.dim() < 2 or diagonal.shape[-2] != count):
        raise invalid(
            "The number of diagonals provided in `diag` is not consistent with "
            "`lower_diag_index` and `upper_diag_index`"
        )
    length = _longest(lower, upper, rows, columns)
    expected = [*batch, *([count] if count > 1 else []), length]
    if list(diagonal.shape) != expected:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {bracketed(input.shape)}\n"
            f"Diagonal shape: {bracketed(diagonal.shape)}\n"
            f"Expected diagonal shape: {bracketed(expected)}"
        )
    if count == 1:
        return torch.diagonal_scatter(input, diagonal, lower, -2, -1)
    return _filled(input, diagonal, lower, upper, length, align)


set_diag.kernel(moving(set_diag_kernel), on="wide_unsigned")


@set_diag.gradient
def set_diag_gradient(call: Call, dy: Tensor) -> Any:
    _, diagonal, k = call.inputs
    align = call.attrs["align"]
    return (
        set_diag(dy, zeros_like(diagonal), k=k, align=align),
        diag_part(dy, k=k, align=align),
        None,
    )


_TENSOR_DIAGONAL = FLOATS | INDEX | COMPLEX


@op("Diag(diagonal: T) -> output: T", T=_TENSOR_DIAGONAL, grows="square")
def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Any:
    """Return a tensor of twice the rank, with `diagonal` where both halves of the index agree."""
    return tensor_diag.bind(diagonal, name)


@tensor_diag.shape
def tensor_diag_shape(diagonal: Static) -> Dims:
    shape = rank_at_least(diagonal.shape, 1)
    return None if shape is None else shape + shape


@tensor_diag.kernel
def tensor_diag_kernel(diagonal: torch.Tensor) -> Any:
    if not diagonal.dim():
        raise invalid("Input must be at least rank 1, got 0")
    return torch.diag_embed(diagonal.reshape(-1)).reshape(*diagonal.shape, *diagonal.shape)


@tensor_diag.gradient
def tensor_diag_gradient(call: Call, dy: Tensor) -> Any:
    return tensor_diag_part(dy)


@op("DiagPart(input: T) -> diagonal: T", T=_TENSOR_DIAGONAL)
def tensor_diag_part(input: TensorLike, name: str | None = None) -> Any:
    """Return the elements where both halves of the index agree: half the rank."""
    input = convert_to_tensor(input)
    if input._shape_tuple == ():
        return input
    return tensor_diag_part.bind(input, name)


@tensor_diag_part.shape
def tensor_diag_part_shape(input: Static) -> Dims:
    if input.shape is None:
        return None
    rank = len(input.shape)
    if rank % 2 or not rank:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {rank}")
    half = rank // 2
    return tuple(
        a if b is None else b for a, b in zip(input.shape[:half], input.shape[half:], strict=True)
    )


@tensor_diag_part.kernel
def tensor_diag_part_kernel(input: torch.Tensor) -> Any:
    half, odd = divmod(input.dim(), 2)
    if odd:
        raise invalid(
            "The rank of the tensor should be even and positive, got shape "
            f"{bracketed(input.shape)}"
        )
    for axis in range(half):
        if input.shape[axis] != input.shape[axis + half]:
            raise invalid(
                f"Invalid shape {bracketed(input.shape)}: dimensions {axis} and {axis + half} "
                "do not match."
            )
    shape = input.shape[:half]
    count = shape.numel()
    return torch.diagonal(input.reshape(count, count)).reshape(shape)


@tensor_diag_part.gradient
def tensor_diag_part_gradient(call: Call, dy: Tensor) -> Any:
    return tensor_diag(dy)


def trace(x: TensorLike, name: str | None = None) -> Any:
    """Return the sums of the main diagonals of matrices."""
    return reduce_sum(diag_part(convert_to_tensor(x)), [-1], name=name)
