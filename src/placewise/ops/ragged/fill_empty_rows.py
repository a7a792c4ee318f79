"""Empty rows of a ragged tensor filled with one default value each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, op
from placewise.ops.sparse.rows import (
    fill_rows,
    sparse_fill_empty_rows_grad_kernel,
    sparse_fill_empty_rows_grad_shape,
    with_default,
)


class FilledRows(NamedTuple):
    """What filling gives: the rows, which of them were empty, and where each value went."""

    output_value_rowids: Any
    output_values: Any
    empty_row_indicator: Any
    reverse_index_map: Any


FilledRows.__name__ = FilledRows.__qualname__ = "RaggedFillEmptyRows"


class FilledRowsGradients(NamedTuple):
    """The gradients of filling: of the values, and of the default."""

    d_values: Any
    d_default_value: Any


FilledRowsGradients.__name__ = FilledRowsGradients.__qualname__ = "RaggedFillEmptyRowsGrad"


@op(
    "RaggedFillEmptyRows(value_rowids: int64, values: T, nrows: int64, default_value: T)"
    " -> output_value_rowids: int64, output_values: T, empty_row_indicator: bool,"
    " reverse_index_map: int64",
    host=("nrows",),
)
def ragged_fill_empty_rows(
    value_rowids: TensorLike,
    values: TensorLike,
    nrows: TensorLike,
    default_value: TensorLike,
    name: str | None = None,
) -> Any:
    """Return rows in which each empty one holds `default_value`, and which were empty."""
    parts = ragged_fill_empty_rows.bind(value_rowids, values, nrows, default_value, name)
    return FilledRows(*parts)


@ragged_fill_empty_rows.shape
def ragged_fill_empty_rows_shape(
    value_rowids: Static, values: Static, nrows: Static, default_value: Static
) -> list[Dims]:
    count = None if nrows.value is None else int(np.asarray(nrows.value))
    return [(None,), (None,), (count,), value_rowids.shape]


@ragged_fill_empty_rows.kernel
def ragged_fill_empty_rows_kernel(
    value_rowids: torch.Tensor, values: Any, nrows: np.ndarray[Any, Any], default_value: Any
) -> Any:
    if default_value.ndim:
        raise invalid(f"default_value must be a scalar, saw: {list(default_value.shape)}")
    if len(values) != len(value_rowids):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of "
            f"`value_rowids` ({len(value_rowids)})."
        )
    count = int(nrows)
    if len(value_rowids) and not count:
        raise invalid(
            f"Received tensor with nrows = 0 but value_rowids.shape[0] = {len(value_rowids)}"
        )
    filled = fill_rows(value_rowids, count, "value_rowids({})")
    return (
        torch.cat([value_rowids, filled.missing]).index_select(0, filled.order),
        with_default(values, default_value, filled),
        filled.is_empty,
        filled.back,
    )


@ragged_fill_empty_rows.gradient
def ragged_fill_empty_rows_gradient(
    call: Call, _: Tensor, dy: Tensor, __: Tensor, ___: Tensor
) -> Any:
    values, default = ragged_fill_empty_rows_grad.bind(call.outputs[3], dy)
    return None, values, None, default


@op(
    "RaggedFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T)"
    " -> d_values: T, d_default_value: T"
)
def ragged_fill_empty_rows_grad(
    reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None
) -> Any:
    """Return the gradients of values and default of rows that were filled."""
    parts = ragged_fill_empty_rows_grad.bind(reverse_index_map, grad_values, name)
    return FilledRowsGradients(*parts)


ragged_fill_empty_rows_grad.shape(sparse_fill_empty_rows_grad_shape)
ragged_fill_empty_rows_grad.kernel(sparse_fill_empty_rows_grad_kernel)
