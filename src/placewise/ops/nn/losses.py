"""Losses: cross-entropies, log-Poisson, half the sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, INDEX
from placewise.core.errors import hint, invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import ones_like
from placewise.ops.array.shape import expand_dims, reshape, shape_of
from placewise.ops.array.slice_ops import slice as slice_of
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, define, op, takes_none
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import add, multiply, negative, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater_equal
from placewise.ops.math.exponential import exp, log, log1p
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.nn.activations import relu
from placewise.ops.nn.softmax import as_matrix, last_axis, log_softmax_op, softmax_op
from placewise.ops.tf1_spelling import add_tf1, rank, shape, where_tf1, zeros_like
from placewise.ops.work import normalization_work, reduction_work

softmax_cross_entropy_op = define(
    "SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> loss: T, backprop: T",
    T=FLOATS,
    doc="The cross-entropy of softmax(features) with rows of probabilities, and its gradient.",
    result="new",
    work=normalization_work,
)


@softmax_cross_entropy_op.shape
def softmax_cross_entropy_shape(features: Static, labels: Static) -> list[Dims]:
    for each in (features, labels):
        if each.shape is not None and len(each.shape) != 2:
            raise ValueError(f"Shape must be rank 2 but is rank {len(each.shape)}")
    both = broadcast(features.shape, labels.shape)
    return [(None,), (None, None)] if both is None else [both[:1], both]


@softmax_cross_entropy_op.kernel
def softmax_cross_entropy_kernel(features: torch.Tensor, labels: torch.Tensor) -> Any:
    try:
        logits, targets = torch.broadcast_tensors(features, labels)
    except RuntimeError:
        raise invalid(
            f"logits and labels must be broadcastable: logits_size={bracketed(features.shape)} "
            f"labels_size={bracketed(labels.shape)}"
        ) from None
    if logits.dim() != 2:
        raise invalid(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
        )
    if not logits.shape[1]:
        return logits.new_zeros(logits.shape[0]), logits.new_zeros(logits.shape)
    logs = torch.log_softmax(logits, 1)
    loss = -(targets * logs).sum(1)
    return loss, logs.exp_().sub_(targets)


def _logits_gradient(call: Any, d_loss: Tensor, d_backprop: Any) -> Any:
    """Return what reaches the logits, also through the output that is a gradient already."""
    gradient = None
    if d_loss is not None:
        gradient = expand_dims(d_loss, -1) * call.outputs[1]
        if d_backprop is None:
            return gradient
    probabilities = softmax_op(call.inputs[0])
    inner = reduce_sum(multiply(d_backprop, probabilities), -1, keepdims=True)
    further = multiply(subtract(d_backprop, inner), probabilities)
    return further if gradient is None else add(gradient, further)


@softmax_cross_entropy_op.gradient
@takes_none
def softmax_cross_entropy_gradient(call: Call, d_loss: Tensor, d_backprop: Any) -> Any:
    features, labels = call.inputs
    d_features = _logits_gradient(call, d_loss, d_backprop)
    d_labels = None
    if call.wants(1) and d_loss is not None:
        d_labels = negative(multiply(expand_dims(d_loss, -1), log_softmax_op(features)))
        d_labels = sum_to_shape_of(d_labels, labels)
    return sum_to_shape_of(d_features, features), d_labels


sparse_softmax_cross_entropy_op = define(
    "SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> loss: T, backprop: T",
    T=FLOATS,
    Tlabels=INDEX,
    doc="The cross-entropy of softmax(features) with one class per row, and its gradient.",
    result="new",
    work=normalization_work,
)


@sparse_softmax_cross_entropy_op.shape
def sparse_softmax_cross_entropy_shape(features: Static, labels: Static) -> list[Dims]:
    rows = None if labels.shape is None else labels.shape[0]
    if features.shape is None:
        return [(rows,), (rows, None)]
    if len(features.shape) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(features.shape)}")
    if None not in (rows, features.shape[0]) and rows != features.shape[0]:
        raise ValueError(f"Dimensions must be equal, but are {features.shape[0]} and {rows}")
    rows = features.shape[0] if rows is None else rows
    return [(rows,), (rows, features.shape[1])]


def _check_classes(features: torch.Tensor, labels: torch.Tensor) -> None:
    if features.dim() != 2:
        raise invalid(f"logits must be 2-D, but got shape {bracketed(features.shape)}")
    if labels.dim() != 1:
        raise invalid(f"labels must be 1-D, but got shape {bracketed(labels.shape)}")
    if features.shape[0] != labels.shape[0]:
        raise invalid(
            "logits and labels must have the same first dimension, got logits shape "
            f"{bracketed(features.shape)} and labels shape {bracketed(labels.shape)}"
        )
    if not features.shape[1]:
        raise invalid(
            f"Must have at least one class, but got logits shape {bracketed(features.shape)}"
        )


@sparse_softmax_cross_entropy_op.kernel
def sparse_softmax_cross_entropy_kernel(features: torch.Tensor, labels: torch.Tensor) -> Any:
    _check_classes(features, labels)
    try:
        return _picked_cross_entropy(features, labels)
    except RuntimeError:  # torch looks at every label itself
        _check_labels(labels, features.shape[1])
        raise


def _check_labels(labels: torch.Tensor, classes: int) -> None:
    outside = labels[(labels < 0) | (labels >= classes)]
    if outside.numel():
        shown = " ".join(str(each) for each in labels.tolist())
        raise invalid(
            f"Received a label value of {int(outside[0])} which is outside the valid range of "
            f"[0, {classes}).  Label values: {shown}"
        )


def _picked_cross_entropy(features: torch.Tensor, labels: torch.Tensor) -> Any:
    logs = torch.log_softmax(features, 1)
    at = labels.long().unsqueeze(1)
    loss = logs.gather(1, at).squeeze(1).neg_()
    return loss, logs.exp_().scatter_add_(1, at, logs.new_full(at.shape, -1))


@sparse_softmax_cross_entropy_op.kernel(on="GPU")
def sparse_softmax_cross_entropy_gpu_kernel(features: torch.Tensor, labels: torch.Tensor) -> Any:
    """A class out of range gives NaN there, as on TensorFlow's GPUs."""
    _check_classes(features, labels)
    if labels.is_cpu:  # a simulated GPU: torch looks at every label itself
        try:
            return _picked_cross_entropy(features, labels)
        except RuntimeError:
            pass
    bad = (labels < 0) | (labels >= features.shape[1])
    loss, backprop = _picked_cross_entropy(features, labels.masked_fill(bad, 0))
    return loss.masked_fill(bad, torch.nan), backprop.masked_fill(bad.unsqueeze(1), torch.nan)


@sparse_softmax_cross_entropy_op.gradient
@takes_none
def sparse_softmax_cross_entropy_gradient(call: Call, d_loss: Tensor, d_backprop: Any) -> Any:
    return _logits_gradient(call, d_loss, d_backprop), None


def _precise(logits: Tensor) -> Any:
    """Return logits in float32 where they have fewer bits."""
    return (
        cast(logits, dtypes.float32)
        if logits.dtype.size < 4 and logits.dtype.is_floating
        else logits
    )


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    """Return the cross entropy between softmax(`logits`) and the probabilities `labels`.

    `labels`: probabilities of the classes, which should add up to 1 along `axis`. Gradients flow to
        them as well.
    `logits`: scores of the classes, before softmax, of the shape and dtype of `labels`.
    `axis`: the axis of the classes, the last one by default; the result does not have it.

    Raises InvalidArgumentError if the shapes do not broadcast.

    >>> labels, logits = [[0.0, 1.0]], [[0.0, 0.0]]
    >>> tf.nn.softmax_cross_entropy_with_logits(labels, logits).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    if is_tf1_graph():
        return _softmax_cross_entropy_by_rows(labels, logits, axis, name)
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    precise = _precise(logits)
    if labels.dtype is not precise.dtype:
        labels = cast(labels, precise.dtype)
    if axis != -1:
        precise, labels = last_axis(precise, axis), last_axis(labels, axis)
    static = precise._shape_tuple
    if static is not None and len(static) == 2:
        cost, _ = softmax_cross_entropy_op(precise, labels, name=name)
    else:
        known = static is not None and None not in static
        outer = static[:-1] if known else shape_of(precise)[:-1]
        cost, _ = softmax_cross_entropy_op(as_matrix(precise), as_matrix(labels), name=name)
        cost = reshape(cost, outer)
    return cost if cost.dtype is logits.dtype else cast(cost, logits.dtype)


def _softmax_cross_entropy_by_rows(
    labels: Tensor, logits: Tensor, axis: int, name: str | None
) -> Any:
    """Write down what TensorFlow 1 does: flatten to rows, whatever the rank, and shape it back."""
    with in_scope(name, "softmax_cross_entropy_with_logits") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        precise = _precise(logits)
        labels = cast(labels, precise.dtype)
        count = rank(precise)
        if axis != -1:
            precise, labels = last_axis(precise, axis), last_axis(labels, axis)
        size, static = shape(precise), precise._shape_tuple
        cost, _ = softmax_cross_entropy_op(_rows_of(precise), _rows_of(labels), name=scope)
        cost = reshape(cost, slice_of(size, [0], [subtract(count, 1)]))
        if static is not None:
            cost.set_shape(static[:-1])
            cost.op.keeps_shape = len(static) == 2
        return cost if cost.dtype is logits.dtype else cast(cost, logits.dtype)


def _rows_of(x: Tensor) -> Any:
    count = rank(x)
    width = slice_of(shape(x), [subtract(count, 1)], [1])
    made = reshape(x, concat([[-1], width], 0))
    static = x._shape_tuple
    made.op.keeps_shape = static is not None and len(static) == 2
    return made


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """Return the cross-entropy of softmax(logits) along the last axis with the classes `labels`."""
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for "
            f"sparse_softmax_cross_entropy_with_logitsReceived: labels={labels} and logits={logits}"
        )
    with in_scope(name, "SparseSoftmaxCrossEntropyWithLogits"):
        return _sparse_cross_entropy(convert_to_tensor(labels), convert_to_tensor(logits), name)


def _sparse_cross_entropy(labels: Any, logits: Any, name: str | None) -> Any:
    is_tf1 = is_tf1_graph()
    outer = shape(labels) if is_tf1 else None  # TensorFlow 1 writes it down also if nobody reads it
    given, static = labels._shape_tuple, logits._shape_tuple
    if static == ():
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if static is not None and given is not None:
        if len(given) != len(static) - 1:
            raise ValueError(
                hint(
                    "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
                    f"labels.shape={labels.shape} of rank {len(given)} and "
                    f"logits.shape={logits.shape} of rank {len(static)}",
                    "labels are ids here: tf.squeeze or tf.argmax them, or use "
                    "softmax_cross_entropy_with_logits for probabilities",
                )
            )
        if None not in given and None not in static and given != static[:-1]:
            raise ValueError(
                "`labels.shape` must equal `logits.shape` except for the last dimension. "
                f"Received: labels.shape={labels.shape} and logits.shape={logits.shape}"
            )
    precise = _precise(logits)
    if static is not None and len(static) == 2:
        cost, _ = sparse_softmax_cross_entropy_op(precise, labels, name=name)
    else:
        if is_tf1:
            rows = reshape(precise, [-1, shape(logits)[rank(logits) - 1]])
        else:
            rows = as_matrix(precise)
        cost, _ = sparse_softmax_cross_entropy_op(rows, reshape(labels, [-1]), name=name)
        cost = reshape(cost, outer if is_tf1 else shape_of(labels))
    return cost if cost.dtype is logits.dtype else cast(cost, logits.dtype)


def _same_shapes(first: str, a: Tensor, second: str, b: Tensor) -> None:
    if not a.shape.is_compatible_with(b.shape):
        raise ValueError(
            f"`{first}` and `{second}` must have the same shape, received ({a.shape} vs {b.shape})."
        )


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Return the cross-entropy of sigmoid(logits) with the probabilities `labels`."""
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits"
            f"Received: labels={labels} and logits={logits}"
        )
    with in_scope(name, "logistic_loss") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, dtype_hint=logits.dtype, name="labels")
        _same_shapes("logits", logits, "labels", labels)
        zeros = zeros_like(logits)
        is_positive = greater_equal(logits, zeros)
        # max(x, 0) and -|x|, with the derivatives of the first branch at 0.
        positive = where_tf1(is_positive, logits, zeros)
        folded = where_tf1(is_positive, negative(logits), logits)
        return add_tf1(positive - logits * labels, log1p(exp(folded)), scope)


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: Any, name: str | None = None
) -> Any:
    """Return the sigmoid cross-entropy in which positive labels weigh `pos_weight`."""
    with in_scope(name, "logistic_loss") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, dtype_hint=logits.dtype, name="labels")
        _same_shapes("logits", logits, "labels", labels)
        weight = 1 + (pos_weight - 1) * labels
        return add_tf1(
            (1 - labels) * logits,
            weight * (log1p(exp(-absolute(logits))) + relu(-logits)),
            scope,
        )


def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Any:
    """Return exp(log_input) - log_input * targets; `compute_full_loss` adds Stirling's formula."""
    log_input = convert_to_tensor(log_input)
    targets = convert_to_tensor(targets, dtype_hint=log_input.dtype)
    _same_shapes("log_input", log_input, "targets", targets)
    result = subtract(exp(log_input), multiply(log_input, targets))
    if not compute_full_loss:
        return result
    kind = targets.dtype
    stirling = add(
        subtract(multiply(targets, log(targets)), targets),
        multiply(scalar(0.5, kind), log(multiply(scalar(2 * np.pi, kind), targets))),
    )
    inside = (targets >= ones_like(targets) * 0) & (targets <= ones_like(targets))
    return add(result, where(inside, zeros_like(targets), stirling))


@op("L2Loss(t: T) -> output: T", T=FLOATS, result="new", work=reduction_work)
def l2_loss(t: Any, name: str | None = None) -> Any:
    """Return half the sum of the squares of all elements."""
    return l2_loss.bind(t, name)


@l2_loss.shape
def l2_loss_shape(t: Static) -> Dims:
    return ()


@l2_loss.kernel
def l2_loss_kernel(t: torch.Tensor) -> Any:
    flat = t.reshape(-1)
    if t.dtype in (torch.float16, torch.bfloat16):
        return (flat.float().square().sum() / 2).to(t.dtype)
    return torch.dot(flat, flat) / 2


@l2_loss.gradient
def l2_loss_gradient(call: Call, dy: Tensor) -> Any:
    return call.inputs[0] * dy
