"""Losses over many classes that look at the true ones and a few drawn at random."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import expand_dims, reshape, shape_of
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.arithmetic import add, multiply, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.division import truediv
from placewise.ops.math.exponential import log
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.nn.candidates import compute_accidental_hits, log_uniform_candidate_sampler
from placewise.ops.nn.embedding import lookup
from placewise.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)


def sampled_logits(
    weights: Tensor,
    biases: Tensor,
    labels: Tensor,
    inputs: Tensor,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Tensor | None,
    subtract_log_q: bool,
    remove_accidental_hits: bool,
    seed: int | None,
    partition_strategy: str = "div",
) -> tuple[Any, Any]:
    """Return logits of the true and the sampled classes of each example, and their labels."""
    inputs, labels = convert_to_tensor(inputs), convert_to_tensor(labels)
    if labels.dtype is not dtypes.int64:
        labels = cast(labels, dtypes.int64)
    flat = reshape(labels, [-1])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_count, sampled_count = (stop_gradient(each) for each in sampled_values)
    if sampled.dtype is not dtypes.int64:
        sampled = cast(sampled, dtypes.int64)
    ids = concat([flat, sampled], 0)
    count = shape_of(flat)[0]
    vectors = lookup(weights, ids, partition_strategy, None, None)
    if vectors.dtype is not inputs.dtype:
        vectors = cast(vectors, inputs.dtype)
    offsets = lookup(biases, ids, partition_strategy, None, None)
    if offsets.dtype is not inputs.dtype:
        offsets = cast(offsets, inputs.dtype)
    drawn = add(matmul(inputs, vectors[count:], transpose_b=True), offsets[count:])
    own = reshape(vectors[:count], _true_shape(vectors, num_true))
    true = reduce_sum(multiply(expand_dims(inputs, 1), own), -1)
    true = add(true, reshape(offsets[:count], [-1, num_true]))
    if remove_accidental_hits:
        drawn = add(drawn, _without_hits(labels, sampled, num_true, drawn))
    if subtract_log_q:
        true = subtract(true, log(true_count))
        drawn = subtract(drawn, log(sampled_count))
    share = truediv(ones_like(true), scalar(num_true, true.dtype))
    return concat([true, drawn], 1), concat([share, zeros_like(drawn)], 1)


def _true_shape(vectors: Tensor, num_true: int) -> Any:
    size = vectors._shape_tuple[1]
    return [-1, num_true, size] if size is not None else stack([-1, num_true, shape_of(vectors)[1]])


def _without_hits(labels: Tensor, sampled: Tensor, num_true: int, drawn: Tensor) -> Any:
    """Return the least float where a sampled class is a true one of the example, else 0."""
    rows, places, penalties = compute_accidental_hits(labels, sampled, num_true)
    where = stack([rows, cast(places, dtypes.int32)], 1)
    if penalties.dtype is not drawn.dtype:
        penalties = cast(penalties, drawn.dtype)
    return scatter_nd(where, penalties, shape_of(drawn))


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Any:
    """Return the noise-contrastive loss of each example: true classes told from sampled ones."""
    return noise_contrastive(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
    )


def noise_contrastive(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "div",
    name: str = "nce_loss",
) -> Any:
    """Return `nce_loss` over tables whose rows are dealt out in either way."""
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        True,
        remove_accidental_hits,
        None,
        partition_strategy,
    )
    return reduce_sum(sigmoid_cross_entropy_with_logits(targets, logits), 1)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Any:
    """Return the softmax cross-entropy of each example over its true and the sampled classes."""
    return sampled_cross_entropy(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed=seed,
    )


def sampled_cross_entropy(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "div",
    name: str = "sampled_softmax_loss",
    seed: Any = None,
) -> Any:
    """Return `sampled_softmax_loss` over tables whose rows are dealt out in either way."""
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        True,
        remove_accidental_hits,
        seed,
        partition_strategy,
    )
    return softmax_cross_entropy_with_logits(stop_gradient(targets), logits)
