"""Older forms of the ops on diagonals of matrices: each hands on to the present form's rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.shapes import Dims, Static
from placewise.ops.array.contents import moving
from placewise.ops.array.creation import zeros_like
from placewise.ops.declare import define
from placewise.ops.linalg import diagonal as present

# The second version packed all diagonals to the left.
_ALIGN = "LEFT_LEFT"
_MAIN, _ANY = np.asarray(0, np.int32), np.asarray(-1, np.int32)
_MAIN_STATIC, _ANY_STATIC = (Static((), dtypes.int32, value) for value in (_MAIN, _ANY))

matrix_diag = define(
    "MatrixDiag(diagonal: T) -> output: T",
    doc="Return matrices with `diagonal` on the main diagonal.",
    grows="square",
)
matrix_diag_v2 = define(
    "MatrixDiagV2(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T)"
    " -> output: T",
    host=("k", "num_rows", "num_cols"),
    doc="Return matrices with the given diagonals.",
    grows="square",
)
matrix_diag_part = define(
    "MatrixDiagPart(input: T) -> diagonal: T", doc="Return the main diagonals of matrices."
)
matrix_diag_part_v2 = define(
    "MatrixDiagPartV2(input: T, k: int32, padding_value: T) -> diagonal: T",
    host=("k",),
    doc="Return diagonals of matrices.",
    grows="square",
)
matrix_set_diag = define(
    "MatrixSetDiag(input: T, diagonal: T) -> output: T",
    doc="Return matrices with another main diagonal.",
)
matrix_set_diag_v2 = define(
    "MatrixSetDiagV2(input: T, diagonal: T, k: int32) -> output: T",
    host=("k",),
    doc="Return matrices with other diagonals.",
)


@matrix_diag.shape
def matrix_diag_shape(diagonal: Static) -> Dims:
    return matrix_diag_v2_shape(
        diagonal, _MAIN_STATIC, _ANY_STATIC, _ANY_STATIC, Static((), diagonal.dtype, None)
    )


@matrix_diag.kernel
def matrix_diag_kernel(diagonal: Any) -> Any:
    return matrix_diag_v2_kernel(diagonal, _MAIN, _ANY, _ANY, diagonal.new_zeros(()))


@matrix_diag.gradient
def matrix_diag_gradient(call: Any, dy: Any) -> Any:
    return matrix_diag_part(dy)


@matrix_diag_v2.shape
def matrix_diag_v2_shape(
    diagonal: Static, k: Static, num_rows: Static, num_cols: Static, padding_value: Static
) -> Dims:
    return present.diag_shape(diagonal, k, num_rows, num_cols, padding_value, align=_ALIGN)


@matrix_diag_v2.kernel
def matrix_diag_v2_kernel(
    diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any
) -> Any:
    return present.diag_kernel(diagonal, k, num_rows, num_cols, padding_value, align=_ALIGN)


@matrix_diag_v2.gradient
def matrix_diag_v2_gradient(call: Any, dy: Any) -> Any:
    return present.diag_part(dy, k=call.inputs[1], align=_ALIGN), None, None, None, None


@matrix_diag_part.shape
def matrix_diag_part_shape(input: Static) -> Dims:
    return matrix_diag_part_v2_shape(input, _MAIN_STATIC, Static((), input.dtype, None))


@matrix_diag_part.kernel
def matrix_diag_part_kernel(input: Any) -> Any:
    return matrix_diag_part_v2_kernel(input, _MAIN, input.new_zeros(()))


@matrix_diag_part.gradient
def matrix_diag_part_gradient(call: Any, dy: Any) -> Any:
    return present.set_diag(zeros_like(call.inputs[0]), dy)


@matrix_diag_part_v2.shape
def matrix_diag_part_v2_shape(input: Static, k: Static, padding_value: Static) -> Dims:
    return present.diag_part_shape(input, k, padding_value, align=_ALIGN)


@matrix_diag_part_v2.kernel
def matrix_diag_part_v2_kernel(input: Any, k: Any, padding_value: Any) -> Any:
    return present.diag_part_kernel(input, k, padding_value, align=_ALIGN)


@matrix_diag_part_v2.gradient
def matrix_diag_part_v2_gradient(call: Any, dy: Any) -> Any:
    return present.diag_part_gradient(call._replace(attrs={"align": _ALIGN}), dy)


@matrix_set_diag.shape
def matrix_set_diag_shape(input: Static, diagonal: Static) -> Dims:
    return matrix_set_diag_v2_shape(input, diagonal, _MAIN_STATIC)


@matrix_set_diag.kernel
def matrix_set_diag_kernel(input: Any, diagonal: Any) -> Any:
    return matrix_set_diag_v2_kernel(input, diagonal, _MAIN)


@matrix_set_diag.gradient
def matrix_set_diag_gradient(call: Any, dy: Any) -> Any:
    present_call = call._replace(inputs=(*call.inputs, _MAIN), attrs={"align": _ALIGN})
    return present.set_diag_gradient(present_call, dy)[:2]


@matrix_set_diag_v2.shape
def matrix_set_diag_v2_shape(input: Static, diagonal: Static, k: Static) -> Dims:
    return present.set_diag_shape(input, diagonal, k, align=_ALIGN)


@matrix_set_diag_v2.kernel
def matrix_set_diag_v2_kernel(input: Any, diagonal: Any, k: Any) -> Any:
    return present.set_diag_kernel(input, diagonal, k, align=_ALIGN)


@matrix_set_diag_v2.gradient
def matrix_set_diag_v2_gradient(call: Any, dy: Any) -> Any:
    return present.set_diag_gradient(call._replace(attrs={"align": _ALIGN}), dy)


for _op in (
    matrix_diag,
    matrix_diag_v2,
    matrix_diag_part,
    matrix_diag_part_v2,
    matrix_set_diag,
    matrix_set_diag_v2,
):
    _op.kernel(moving(_op.op.kernels[None]), on="wide_unsigned")
