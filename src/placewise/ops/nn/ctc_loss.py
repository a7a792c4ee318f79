"""The CTC loss: how unlikely a sequence of labels is, over all ways to stretch it over time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.masks import sequence_mask
from placewise.ops.array.shape import reshape, sizes_of
from placewise.ops.array.transpose import transpose
from placewise.ops.array.where import boolean_mask, where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.math.arithmetic import add, multiply, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import less
from placewise.ops.nn.ctc_paths import loss_and_gradient
from placewise.ops.sparse.sparse_tensor import SparseTensor

# What TensorFlow takes for the logarithm of 0 where a labelling does not fit into the time.
_LOG_ZERO = float(np.float32(np.log(1e-307)))
_FLAGS = (
    "preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True, "
    "ignore_longer_outputs_than_inputs: bool = False"
)


def _dense_labels(
    indices: torch.Tensor, values: torch.Tensor, batch: int, classes: int, collapse: bool
) -> list[list[int]]:
    """Return the labels of each sequence up to the first that is no class."""
    rows: list[list[int]] = [[] for _ in range(batch)]
    order: Any = np.lexsort(indices.numpy()[:, ::-1].T) if len(indices) else []
    flat, labels = indices[:, 0].tolist(), values.tolist()
    for at in order:
        if not 0 <= flat[at] < batch:
            raise invalid(f"labels batch index must be between 0 and {batch} but saw: {flat[at]}")
        rows[flat[at]].append(labels[at])
    found = []
    for row, given in enumerate(rows):
        kept: list[int] = []
        ended = False
        for label in given:
            if label < 0:
                raise invalid(
                    "All labels must be nonnegative integers, "
                    f"batch: {row} labels: {','.join(map(str, given))}"
                )
            if label >= classes - 1:
                ended = True
            elif ended:
                raise invalid(
                    "Saw a non-null label (index >= num_classes - 1) following a null label, "
                    f"batch: {row} num_classes: {classes} labels: {','.join(map(str, given))}"
                )
            elif not (collapse and kept and kept[-1] == label):
                kept.append(label)
        found.append(kept)
    return found


def _padded(rows: list[list[int]]) -> tuple[Any, Any]:
    """Return lists of labels as a matrix, and their lengths."""
    width = max(map(len, rows), default=0)
    dense = torch.tensor([row + [0] * (width - len(row)) for row in rows], dtype=torch.int64)
    return dense.view(len(rows), width), torch.tensor([len(row) for row in rows])


def _check(inputs: Any, labels_indices: Any, labels_values: Any, sequence_length: Any) -> None:
    if inputs.dim() != 3:
        raise invalid("inputs is not a 3-Tensor")
    if sequence_length.ndim != 1:
        raise invalid("sequence_length is not a vector")
    if labels_indices.ndim != 2:
        raise invalid("labels_indices is not a matrix")
    if labels_values.ndim != 1:
        raise invalid("labels_values is not a vector")
    if labels_indices.shape[0] != labels_values.shape[0]:
        raise invalid(
            "labels_indices and labels_values must contain the same number of rows, but "
            f"saw shapes: {list(labels_indices.shape)} vs. {list(labels_values.shape)}"
        )
    batch = inputs.shape[1]
    if sequence_length.shape[0] != batch:
        raise invalid(
            "len(sequence_length) != batch_size.  len(sequence_length):  "
            f"{sequence_length.shape[0]} batch_size: {batch}"
        )


def _check_order(places: list[list[int]]) -> None:
    """Refuse places of labels that are not sorted: rows are read as they come."""
    for index, (one, other) in enumerate(pairwise(places), 1):
        if one >= other:
            how = "repeated" if one == other else "out of order. Many sparse ops require sorted"
            end = (
                ""
                if one == other
                else (" indices.\n  Use `tf.sparse.reorder` to create a correctly ordered copy.")
            )
            row = ",".join(map(str, other))
            raise invalid(
                f"label SparseTensor is not valid: indices[{index}] = [{row}] is {how}{end}"
            )


def _classic(
    inputs: torch.Tensor,
    labels_indices: torch.Tensor,
    labels_values: torch.Tensor,
    sequence_length: torch.Tensor,
    collapse: bool,
    merge: bool,
    ignore_longer: bool,
) -> tuple[Any, Any]:
    _check(inputs, labels_indices, labels_values, sequence_length)
    _check_order(labels_indices.tolist())
    steps, batch, classes = inputs.shape
    if not batch:
        raise invalid("batch_size must not be 0")
    times = sequence_length.tolist()
    for at, each in enumerate(times):
        if each > steps:
            raise invalid(f"sequence_length({at}) <= {steps}")
    rows = _dense_labels(labels_indices, labels_values, batch, classes, collapse)
    for at, labels in enumerate(rows):
        if not labels:
            raise invalid(f"Labels length is zero in batch {at}")
        if len(labels) > times[at] and not ignore_longer:
            raise invalid(
                f"Not enough time for target transition sequence (required: {len(labels)}, "
                f"available: {times[at]}){at}You can turn this error into a warning by using the "
                "flag ignore_longer_outputs_than_inputs"
            )
    kept = [labels if len(labels) <= times[at] else [] for at, labels in enumerate(rows)]
    dense, lengths = _padded(kept)
    loss, gradient = loss_and_gradient(inputs, dense, lengths, sequence_length, classes - 1, merge)
    skipped = lengths == 0
    return loss.masked_fill(skipped, 0), gradient.masked_fill(skipped.view(1, -1, 1), 0)


def _gradient(call: Call, d_loss: Tensor, _: Tensor) -> Any:
    scaled = multiply(reshape(d_loss, [1, -1, 1]), call.outputs[1])
    return (scaled, *[None] * (len(call.inputs) - 1))


def ctc_loss_shape(
    inputs: Static, indices: Static, values: Static, times: Static, **_: object
) -> list[Dims]:
    """Shape rule: one loss per sequence, and a gradient like the logits."""
    if inputs.shape is None:
        return [(None,), (None, None, None)]
    if len(inputs.shape) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(inputs.shape)}")
    return [(inputs.shape[1],), inputs.shape]


_SPARSE = "labels_indices: int64, labels_values: int32, sequence_length: int32"
ctc_loss_op = define(
    f"CTCLoss(inputs: T, {_SPARSE}; {_FLAGS}) -> loss: T, gradient: T",
    devices=("CPU",),
    T=frozenset({dtypes.float32, dtypes.float64}),
    doc="The CTC loss; the last class is the blank.",
    default_types={"T": dtypes.float32},
)
ctc_loss_op.shape(ctc_loss_shape)
ctc_loss_op.gradient(_gradient)


@ctc_loss_op.kernel
def ctc_loss_kernel(
    inputs: torch.Tensor,
    labels_indices: torch.Tensor,
    labels_values: torch.Tensor,
    sequence_length: torch.Tensor,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> Any:
    return _classic(
        inputs,
        labels_indices,
        labels_values,
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )


ctc_loss_v2_op = define(
    f"CTCLossV2(inputs: float32, {_SPARSE}; {_FLAGS}) -> loss: float32, gradient: float32",
    host=("labels_indices", "labels_values", "sequence_length"),
    doc="The CTC loss; the first class is the blank.",
)
ctc_loss_v2_op.shape(ctc_loss_shape)
ctc_loss_v2_op.gradient(_gradient)


@ctc_loss_v2_op.kernel
def ctc_loss_v2_kernel(
    inputs: torch.Tensor,
    labels_indices: np.ndarray[Any, Any],
    labels_values: np.ndarray[Any, Any],
    sequence_length: np.ndarray[Any, Any],
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> Any:
    _check(inputs, labels_indices, labels_values, sequence_length)
    rows: list[list[int]] = [[] for _ in range(inputs.shape[1])]
    for row, label in zip(labels_indices[:, 0].tolist(), labels_values.tolist(), strict=True):
        if not 0 <= row < len(rows):
            raise invalid(f"labels batch index must be between 0 and {len(rows)} but saw: {row}")
        rows[row].append(label)
    if not inputs.numel():
        return inputs.new_zeros(len(rows)), torch.zeros_like(inputs)
    dense, lengths = _padded(rows)
    times = torch.from_numpy(sequence_length.clip(0, inputs.shape[0]))
    return loss_and_gradient(inputs, dense, lengths, times, 0, ctc_merge_repeated, _LOG_ZERO)


def _moved_blank(logits: Tensor, blank: int, to_front: bool) -> Any:
    parts = [logits[:, :, :blank], logits[:, :, blank + 1 :]]
    own = logits[:, :, blank : blank + 1]
    return concat([own, *parts] if to_front else [*parts, own], 2)


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Sequence[Any] | None,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Any:
    """Return the CTC loss of each sequence of `labels`: padded with their lengths, or sparse.

    `logits` are [time, batch, class] unless `logits_time_major` is False. The blank is class 0
    unless `blank_index` says another; negative ones count from the end. `unique` changes nothing.
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
            )
        return _sparse_loss(
            labels, convert_to_tensor(logits), logit_length, logits_time_major, blank_index, name
        )
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    lengths, times = convert_to_tensor(label_length), convert_to_tensor(logit_length)
    kind = logits.dtype
    if not logits_time_major:
        logits = transpose(logits, [1, 0, 2])
    blank = 0 if blank_index is None else int(blank_index)
    if blank < 0:
        blank += sizes_of(logits)[2]
    if isinstance(blank, Tensor) or blank:
        logits = _moved_blank(logits, blank, True)
        limit = cast(blank, labels.dtype)
        labels = where(less(labels, limit), add(labels, convert_to_tensor(1, labels.dtype)), labels)
    inside = sequence_mask(lengths, sizes_of(labels)[1])
    values = cast(boolean_mask(labels, inside), dtypes.int32)
    logits = logits if logits.dtype is dtypes.float32 else cast(logits, dtypes.float32)
    loss, _ = ctc_loss_v2_op(logits, where(inside), values, cast(times, dtypes.int32), name=name)
    return loss if loss.dtype is kind else cast(loss, kind)


def _sparse_loss(
    labels: Any,
    logits: Tensor,
    logit_length: list[Any],
    time_major: bool,
    blank: int,
    name: str | None,
) -> Any:
    kind = logits.dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        logits = cast(logits, dtypes.float32)
    if blank < 0:
        blank += sizes_of(logits)[2]
    logits = _moved_blank(logits, blank, False)
    values = labels.values
    limit, one = cast(blank, values.dtype), convert_to_tensor(1, values.dtype)
    values = where(less(values, limit), values, subtract(values, one))
    if not time_major:
        logits = transpose(logits, [1, 0, 2])
    values = cast(values, dtypes.int32)
    times = convert_to_tensor(logit_length)
    times = times if times.dtype is dtypes.int32 else cast(times, dtypes.int32)
    loss, _ = ctc_loss_op(logits, labels.indices, values, times, name=name)
    return loss if loss.dtype is kind else cast(loss, kind)
