"""Neural-network functions in the spelling of TensorFlow 1."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.scope import Scope, current
from placewise.graph.constants import shape as shape_of
from placewise.graph.random_values import random_uniform
from placewise.ops.array.shape import identity
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math import statistics
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater_equal
from placewise.ops.nn import (
    activations,
    batch_norm,
    bias,
    conv_functions,
    ctc_decoder,
    ctc_loss,
    depthwise,
    dilation,
    embedding,
    fractional_pooling,
    losses,
    moments,
    pooling,
    sampled_losses,
    softmax,
)
from placewise.ops.nn import conv2d as conv2d_ops
from placewise.ops.nn import conv3d as conv3d_ops
from placewise.ops.nn import dropout as dropouts
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.tf1.names import in_scope
from placewise.tf1.spelling import only, spelled

if TYPE_CHECKING:
    import numpy as np


softmax_v1 = spelled(softmax.softmax, "logits, axis=None, name=None, dim=None", dim="axis")
log_softmax = spelled(softmax.log_softmax, "logits, axis=None, name=None, dim=None", dim="axis")
l2_normalize = spelled(
    statistics.l2_normalize,
    "x, axis=None, epsilon=1e-12, name=None, dim=None",
    "l2_normalize",
    True,
    dim="axis",
)
crelu = spelled(activations.crelu, "features, name=None, axis=-1", "CRelu")
moments_v1 = spelled(
    moments.moments,
    "x, axes, shift=None, name=None, keep_dims=None, keepdims=None",
    "moments",
    keep_dims="keepdims",
)
weighted_moments = spelled(
    moments.weighted_moments,
    "x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None",
    "weighted_moments",
    keep_dims="keepdims",
)
sufficient_statistics = spelled(
    moments.sufficient_statistics,
    "x, axes, shift=None, keep_dims=None, name=None, keepdims=None",
    "sufficient_statistics",
    keep_dims="keepdims",
)
batch_normalization = batch_norm.batch_normalization
batch_norm_with_global_normalization = spelled(
    batch_norm.batch_norm_with_global_normalization,
    "t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,"
    " scale_after_normalization=None, name=None, input=None, mean=None, variance=None",
    t="input",
    m="mean",
    v="variance",
)
conv1d = spelled(
    conv_functions.conv1d,
    "value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None,"
    " name=None, input=None, dilations=None",
    "conv1d",
    True,
    value="input",
    use_cudnn_on_gpu=None,
)
conv2d = spelled(
    conv_functions.conv2d,
    "input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC',"
    " dilations=None, name=None, filters=None",
    filter="filters",
    use_cudnn_on_gpu=None,
)
conv2d_transpose = spelled(
    conv_functions.conv2d_transpose,
    "value=None, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NHWC',"
    " name=None, input=None, filters=None, dilations=None",
    "conv2d_transpose",
    True,
    value="input",
    filter="filters",
)
conv3d = spelled(
    conv_functions.conv3d,
    "input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=None,"
    " name=None, filters=None",
    filter="filters",
)
conv3d_transpose = spelled(
    conv_functions.conv3d_transpose,
    "value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC',"
    " name=None, input=None, filters=None, dilations=None",
    "conv3d_transpose",
    True,
    value="input",
    filter="filters",
)
convolution = spelled(
    conv_functions.convolution,
    "input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None,"
    " filters=None, dilations=None",
    "convolution",
    True,
    filter="filters",
    dilation_rate="dilations",
)
depthwise_conv2d = spelled(
    depthwise.depthwise_conv2d,
    "input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None",
    rate="dilations",
)
separable_conv2d = spelled(
    depthwise.separable_conv2d,
    "input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None,"
    " data_format=None, dilations=None",
    rate="dilations",
)
_POOLED = "value, ksize, strides, padding, data_format='NHWC', name=None, input=None"
max_pool = spelled(pooling.max_pool2d, _POOLED, value="input")
avg_pool = spelled(pooling.avg_pool2d, _POOLED, value="input")
max_pool_with_argmax = spelled(
    pooling.max_pool_with_argmax,
    "input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None,"
    " output_dtype=None, include_batch_in_index=False",
    Targmax="output_dtype",
)
pool = spelled(
    pooling.pool,
    "input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None,"
    " data_format=None, dilations=None",
    dilation_rate="dilations",
)
fractional_max_pool = fractional_pooling.fractional_max_pool_by_seeds
fractional_avg_pool = fractional_pooling.fractional_avg_pool_by_seeds
ctc_beam_search_decoder = spelled(
    ctc_decoder.beam_search_decoding,
    "inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True",
)
weighted_cross_entropy_with_logits = spelled(
    losses.weighted_cross_entropy_with_logits,
    "labels=None, logits=None, pos_weight=None, name=None, targets=None",
    targets="labels",
)
softmax_cross_entropy_with_logits_v2 = spelled(
    losses.softmax_cross_entropy_with_logits,
    "labels, logits, axis=None, name=None, dim=None",
    dim="axis",
)
embedding_lookup_sparse = spelled(
    embedding.combined_lookup,
    "params, sp_ids, sp_weights, partition_strategy='mod', name=None, combiner=None, max_norm=None,"
    " allow_fast_lookup=False",
    "embedding_lookup_sparse",
)
safe_embedding_lookup_sparse = spelled(
    embedding.safe_combined_lookup,
    "embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None,"
    " name=None, partition_strategy='div', max_norm=None, allow_fast_lookup=False",
    "embedding_lookup",
)
_SAMPLED = (
    "weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,"
)
nce_loss = spelled(
    sampled_losses.noise_contrastive,
    f"{_SAMPLED} remove_accidental_hits=False, partition_strategy='mod', name='nce_loss'",
    "nce_loss",
)
sampled_softmax_loss = spelled(
    sampled_losses.sampled_cross_entropy,
    f"{_SAMPLED} remove_accidental_hits=True, partition_strategy='mod',"
    " name='sampled_softmax_loss', seed=None",
    "sampled_softmax_loss",
)


def embedding_lookup(
    params: Any,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """Return the rows of `params` that `ids` names.

    `params`: one tensor or variable, or a list of parts.
    `ids`: integers of any shape.
    `partition_strategy`: which part has a row: 'mod' deals rows out in turn, 'div' gives each part
        a range.
    `validate_indices`: has no effect; TensorFlow ignores it as well.
    `max_norm`: scale down rows that are longer.

    Raises ValueError without any params. An id out of range raises InvalidArgumentError on the CPU
    and gives zeros on a GPU.

    >>> table = tf.constant([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> tf.compat.v1.nn.embedding_lookup(table, [2, 1]).numpy()
    array([[2., 2.],
           [1., 1.]], dtype=float32)
    """
    with in_scope(name, "embedding_lookup") as scope:
        rows = embedding.lookup(params, ids, partition_strategy, max_norm, scope)
        return rows if current.interpreter is Scope.eager else identity(rows)


def _named_only(
    function: str,
    sentinel: np.ndarray[Any, Any] | None,
    labels: TensorLike | None,
    logits: TensorLike | None,
) -> None:
    if sentinel is not None:
        raise ValueError(
            f"Only call `{function}` with named arguments (labels=..., logits=..., ...)"
        )
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Any:
    """Return the cross entropy between softmax(`logits`) and the probabilities `labels`.

    `_sentinel`: must stay None: it makes callers name their arguments.
    `labels`: probabilities of the classes. They get no gradient, unlike in
    `softmax_cross_entropy_with_logits_v2`.
    `logits`: scores of the classes, before softmax, of the shape and dtype of `labels`.
    `dim`: the axis of the classes, the last one by default.
    `axis`: the new name of `dim`.

    Raises ValueError for arguments without names, or missing ones.

    >>> loss = tf.compat.v1.nn.softmax_cross_entropy_with_logits(
    ...     labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]
    ... )
    >>> loss.numpy().round(4)
    array([0.6931], dtype=float32)
    """
    _named_only("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    with in_scope(name, "softmax_cross_entropy_with_logits_sg") as scope:
        fixed = stop_gradient(labels, name="labels_stop_gradient")
        along = dim if axis is None else axis
        return losses.softmax_cross_entropy_with_logits(fixed, logits, along, scope)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Return the cross entropy between softmax(`logits`) and the classes `labels`.

    `_sentinel`: must stay None: it makes callers name their arguments.
    `labels`: the number of the class of each case, integers of one dimension less than `logits`.
    `logits`: scores of the classes, before softmax, along the last axis.

    Raises ValueError for arguments without names, missing ones, or ranks that do not fit. A label
    out of range raises InvalidArgumentError on the CPU and gives nan on a GPU.

    >>> loss = tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(
    ...     labels=[1], logits=[[0.0, 0.0]]
    ... )
    >>> loss.numpy().round(4)
    array([0.6931], dtype=float32)
    """
    _named_only("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    return losses.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Return the cross entropy between sigmoid(`logits`) and the probabilities `labels`.

    `_sentinel`: must stay None: it makes callers name their arguments.
    `labels`: probabilities, each by itself: the classes need not exclude each other.
    `logits`: scores, before sigmoid, of the shape and dtype of `labels`.

    Raises ValueError for arguments without names, missing ones, or shapes that differ.

    >>> loss = tf.compat.v1.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0])
    >>> loss.numpy().round(4)
    array([0.6931], dtype=float32)
    """
    _named_only("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    return losses.sigmoid_cross_entropy_with_logits(labels, logits, name)


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Return `x` with elements set to 0 at random.

    The others are scaled so that the expected sum stays.

    `x`: floating-point numbers.
    `keep_prob`: the probability to keep an element; the former way to say 1 - `rate`.
    `noise_shape`: the shape of the random choice, which broadcasts to `x`: size 1 drops whole axes.
    `seed`: with it the same elements are dropped in every run.
    `rate`: the probability to drop an element, in [0, 1).

    Raises ValueError without a rate, with both, or for one out of range.

    >>> tf.compat.v1.nn.dropout(tf.ones([4]), rate=0.0).numpy()
    array([1., 1., 1., 1.], dtype=float32)
    """
    if keep_prob is not None:
        rate = only("keep_prob", 1.0 - keep_prob, "rate", rate)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    if current.interpreter is Scope.eager:
        return dropouts.dropout(x, rate, noise_shape, seed)
    is_number = isinstance(rate, numbers.Real)
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}"
        )
    with in_scope(name, "dropout"):
        given = convert_to_tensor(x, name="x")
        kind = given.dtype.base_dtype
        if not kind.is_floating:
            raise ValueError(
                "x has to be a floating point tensor since it's going to be scaled. Got a "
                f"{kind!s} tensor instead."
            )
        if is_number and rate == 0:
            return given
        share = convert_to_tensor(rate, kind, name="rate")
        size = shape_of(given) if noise_shape is None else dropouts._noise_shape(given, noise_shape)
        drawn = random_uniform(size, seed=seed, dtype=kind)
        scale = 1 / (1 - share)
        kept = greater_equal(drawn, share)
        result = given * scale * cast(kept, kind)
        result.set_shape(given.shape)
        return result


def conv2d_backprop_input(
    input_sizes: Sequence[Any],
    filter: TensorLike | None = None,
    out_backprop: TensorLike | None = None,
    strides: Any = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[Any] = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Any:
    """Return the gradient of a convolution with respect to its input."""
    kernel = only("filters", filters, "filter", filter) if filters is not None else filter
    return conv2d_ops.conv2d_backprop_input_op(
        input_sizes,
        kernel,
        out_backprop,
        strides=tuple(strides),
        padding=padding,
        data_format=data_format,
        dilations=tuple(dilations),
        name=name,
    )


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Sequence[Any],
    out_backprop: TensorLike,
    strides: Sequence[Any],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[Any] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the gradient of a convolution with respect to its filters."""
    return conv2d_ops.conv2d_backprop_filter_op(
        input,
        filter_sizes,
        out_backprop,
        strides=tuple(strides),
        padding=padding,
        data_format=data_format,
        dilations=tuple(dilations),
        name=name,
    )


def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: TensorLike,
    strides: Sequence[Any],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[Any] = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the gradient of a convolution of volumes with respect to its filters."""
    return conv3d_ops.conv3d_backprop_filter_op(
        input,
        filter_sizes,
        out_backprop,
        strides=tuple(strides),
        padding=padding,
        data_format=data_format,
        dilations=tuple(dilations),
        name=name,
    )


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[Any],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[Any] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the convolution of each channel with its own `filter`, as the one op it is."""
    return depthwise.depthwise_op(
        input,
        filter,
        strides=list(strides),
        padding=padding,
        explicit_paddings=[],
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Any:
    """Return x · weights + biases."""
    with in_scope(name, "xw_plus_b") as scope:
        return bias.bias_add(matmul(x, weights), biases, name=scope)


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Any:
    """Return relu(x · weights + biases)."""
    with in_scope(name, "relu_layer") as scope:
        return activations.relu(bias.bias_add(matmul(x, weights), biases), name=scope)


def ctc_loss_v1(
    labels: TensorLike,
    inputs: Any = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Any:
    """Return the loss of sparse `labels` by connectionist temporal classification."""
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    scores = convert_to_tensor(
        only("logits", logits, "inputs", inputs) if logits is not None else inputs
    )
    if not time_major:
        scores = transpose(scores, [1, 0, 2])
    found = ctc_loss.ctc_loss_op(
        scores,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return found[0]


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Return the greyscale dilation of images."""
    kernel = only("filters", filters, "filter", filter) if filters is not None else filter
    apart = only("dilations", dilations, "rates", rates) if dilations is not None else rates
    return dilation.dilation2d(input, kernel, strides, padding, "NHWC", apart, name)


def erosion2d(
    value: TensorLike, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Any:
    """Return the greyscale erosion of images."""
    return dilation.erosion2d(value, kernel, strides, padding, "NHWC", rates, name)
