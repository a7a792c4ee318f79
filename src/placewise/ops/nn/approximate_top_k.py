"""The k largest or smallest elements, in the form of the op that may approximate; here exact."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import torch

from placewise.core.dtypes import bfloat16, float16, float32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import expand_dims, shape_of
from placewise.ops.declare import Call, define
from placewise.ops.math.arithmetic import multiply
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.work import sort_work

ApproxTopK = namedtuple("ApproxTopK", ["values", "indices"])

approx_top_k_op = define(
    "ApproxTopK(input: T; k: int >= 0, reduction_dimension: int = -1, recall_target: float = 0.95, "
    "is_max_k: bool = True, reduction_input_size_override: int = -1, "
    "aggregate_to_topk: bool = True) -> values: T, indices: int32",
    T=frozenset({float16, bfloat16, float32}),
    doc="The k extreme elements along a dimension.",
    work=sort_work,
)


@approx_top_k_op.shape
def approx_top_k_shape(
    input: Static, *, k: int, reduction_dimension: int, **_: object
) -> list[Dims]:
    if input.shape is None:
        return [None, None]
    rank = len(input.shape)
    if not -rank <= reduction_dimension < rank:
        raise ValueError(f"Invalid reduction dimension {reduction_dimension} for rank {rank}")
    at = reduction_dimension % rank
    shape = (*input.shape[:at], k, *input.shape[at + 1 :])
    return [shape, shape]


@approx_top_k_op.kernel
def approx_top_k_kernel(
    input: torch.Tensor, *, k: int, reduction_dimension: int, is_max_k: bool, **_: object
) -> Any:
    if not -input.dim() <= reduction_dimension < input.dim():
        raise invalid(f"reduction_dimension {reduction_dimension} is out of range")
    size = input.shape[reduction_dimension]
    if size < k:
        raise invalid(f"input must have at least k columns. Had {size}, needed {k}")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    values, indices = torch.topk(input, k, reduction_dimension, is_max_k)
    return values, indices.to(torch.int32)


@approx_top_k_op.gradient
def approx_top_k_gradient(call: Call, dy: Tensor, _: Tensor) -> Any:
    x, places = call.inputs[0], call.outputs[1]
    at = call.attrs["reduction_dimension"] % len(x._shape_tuple)
    hot = one_hot(places, shape_of(x)[at], dtype=x.dtype, axis=at)
    return reduce_sum(multiply(expand_dims(dy, at), hot), at + 1)


def _found(operand: Tensor, k: int, name: str | None, **attrs: Any) -> Any:
    return ApproxTopK(*approx_top_k_op(operand, k=k, name=name, **attrs))


def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the `k` largest elements along a dimension, and where they are."""
    return _found(
        operand,
        k,
        name,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=True,
        aggregate_to_topk=aggregate_to_topk,
        reduction_input_size_override=reduction_input_size_override,
    )


def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the `k` smallest elements along a dimension, and where they are."""
    return _found(
        operand,
        k,
        name,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=False,
        aggregate_to_topk=aggregate_to_topk,
        reduction_input_size_override=reduction_input_size_override,
    )
