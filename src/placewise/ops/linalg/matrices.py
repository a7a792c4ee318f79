"""What the matrix ops share: shape rules and checks of batches of matrices, narrow dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core.dtypes import COMPLEX, float16, float32, float64
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.families import bracketed

# What TensorFlow's factorisations take: no bfloat16, no integers.
MATRIX = COMPLEX | {float16, float32, float64}

_WIDE_TWIN = {torch.float16: torch.float32, torch.bfloat16: torch.float32}


def in_float(function: Callable[..., Any], *values: Any) -> Any:
    """Return `function` of the values; half precision is computed in single, then rounded."""
    kind = values[0].dtype
    wide = _WIDE_TWIN.get(kind)
    if wide is None:
        return function(*values)
    result = function(*[value.to(wide) for value in values])
    if isinstance(result, tuple):
        return tuple(r.to(kind) if r.is_floating_point() else r for r in result)
    return result.to(kind)


def where_finite(function: Callable[..., Any], input: torch.Tensor) -> Any:
    """Return `function` of a batch of matrices, NaN for each that is not finite.

    LAPACK would refuse all of the batch for one of them. torch waits for a device there in any
    case, so that looking at the values costs nothing more.
    """
    is_finite = torch.isfinite(input).all(-1).all(-1)
    if bool(is_finite.all()):
        return function(input)
    result = function(torch.where(is_finite[..., None, None], input, 0))

    def filled(part: torch.Tensor) -> torch.Tensor:
        if part.shape[: is_finite.dim()] != is_finite.shape:  # a result that was not asked for
            return part
        ones = (1,) * (part.dim() - is_finite.dim())
        return torch.where(is_finite.reshape(*is_finite.shape, *ones), part, float("nan"))

    return tuple(map(filled, result)) if isinstance(result, tuple) else filled(result)


def rank_at_least(shape: Dims, rank: int) -> Dims:
    """Return the shape; ValueError if its rank is known and too small."""
    if shape is not None and len(shape) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(shape)}")
    return shape


def equal_dimension(a: int | None, b: int | None) -> int | None:
    """Return the dimension that both are; ValueError if they differ."""
    if a is None or b is None:
        return a if b is None else b
    if a != b:
        raise ValueError(f"Dimensions must be equal, but are {a} and {b}")
    return a


def square(shape: Dims) -> Dims:
    """Return the shape of square matrices, with what one side tells of the other."""
    if rank_at_least(shape, 2) is None:
        return None
    side = equal_dimension(shape[-2], shape[-1])  # type: ignore[index]
    return (*shape[:-2], side, side)  # type: ignore[index]


def square_shape(input: Static, **_: object) -> Dims:
    """Shape rule: square matrices in, matrices of that size out."""
    return square(input.shape)


def check_matrix(input: torch.Tensor, place: int = 0) -> None:
    """Raise unless `input` has two dimensions or more."""
    if input.dim() < 2:
        raise invalid(f"Input tensor {place} must have rank >= 2, got {input.dim()}")


def check_square(input: torch.Tensor) -> None:
    """Raise unless `input` is a batch of square matrices."""
    check_matrix(input)
    if input.shape[-1] != input.shape[-2]:
        raise invalid("Input matrix must be square.")


def check_at_least(input: torch.Tensor, rank: int, what: str = "input") -> None:
    """Raise unless `input` has `rank` dimensions or more, in the words of the diagonal ops."""
    if input.dim() < rank:
        raise invalid(
            f"{what} must be at least {rank}-dim, received shape: {bracketed(input.shape)}"
        )
