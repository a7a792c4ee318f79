"""What a CTC network says: the likeliest labels, greedily or by beam search; and label clean-up."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.errors import FailedPreconditionError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import ones_like
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.gather import gather
from placewise.ops.array.masks import sequence_mask
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import expand_dims, shape_of
from placewise.ops.array.where import boolean_mask, where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.math.arithmetic import subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, not_equal
from placewise.ops.math.logic import logical_and
from placewise.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from placewise.ops.math.scan import cumsum
from placewise.ops.name_scopes import in_scope
from placewise.ops.nn.beam_search import beam_search
from placewise.ops.sparse.sparse_tensor import SparseTensor

_T: frozenset[DType] = frozenset({dtypes.float32, dtypes.float64})


def _check(inputs: Any, sequence_length: Any) -> None:
    if inputs.dim() != 3:
        raise invalid("inputs is not a 3-Tensor")
    steps, batch, classes = inputs.shape
    if not steps:
        raise invalid("max_time is 0")
    if not classes:
        raise invalid("num_classes cannot be 0")
    if sequence_length.dim() != 1:
        raise invalid("sequence_length is not a vector")
    if sequence_length.shape[0] != batch:
        raise FailedPreconditionError(
            None,
            None,
            "len(sequence_length) != batch_size.  len(sequence_length):  "
            f"{sequence_length.shape[0]} batch_size: {batch}",
        )
    for at, each in enumerate(sequence_length.tolist()):
        if each > steps:
            raise FailedPreconditionError(None, None, f"sequence_length({at}) <= {steps}")


def _sparse_parts(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    """Return lists of labels as the parts of a sparse matrix."""
    places = [(row, at) for row, labels in enumerate(rows) for at in range(len(labels))]
    values = [label for labels in rows for label in labels]
    width = max((len(labels) for labels in rows), default=0)
    return (
        torch.tensor(places, dtype=torch.int64).view(-1, 2),
        torch.tensor(values, dtype=torch.int64),
        torch.tensor([len(rows), width], dtype=torch.int64),
    )


greedy_op = define(
    "CTCGreedyDecoder(inputs: T, sequence_length: int32; merge_repeated: bool = False, "
    "blank_index: int = -1) -> decoded_indices: int64, decoded_values: int64, "
    "decoded_shape: int64, log_probability: T",
    devices=("CPU",),
    T=_T,
    differentiable=False,
    doc="The likeliest class of each step, without blanks.",
    default_types={"T": dtypes.float32},
)


@greedy_op.shape
def ctc_greedy_decoder_shape(inputs: Static, sequence_length: Static, **_: object) -> list[Dims]:
    batch = None if inputs.shape is None else inputs.shape[1]
    return [(None, 2), (None,), (2,), (batch, 1)]


@greedy_op.kernel
def ctc_greedy_decoder_kernel(
    inputs: torch.Tensor, sequence_length: torch.Tensor, *, merge_repeated: bool, blank_index: int
) -> Any:
    _check(inputs, sequence_length)
    steps, _, classes = inputs.shape
    blank = blank_index + classes if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise invalid(
            f"blank_index expected to be between -{classes} and {classes - 1} but was {blank_index}"
        )
    best, labels = inputs.max(2)
    inside = torch.arange(steps).unsqueeze(1) < sequence_length
    score = -torch.where(inside, best, 0).sum(0).unsqueeze(1)
    rows = []
    for column, length in zip(labels.T.tolist(), sequence_length.tolist(), strict=True):
        kept, last = [], -1
        for label in column[: max(length, 0)]:
            if label != blank and not (merge_repeated and label == last):
                kept.append(label)
            last = label
        rows.append(kept)
    return (*_sparse_parts(rows), score)


beam_op = define(
    "CTCBeamSearchDecoder(inputs: T, sequence_length: int32; beam_width: int >= 1,"
    " top_paths: int >= 1, "
    "merge_repeated: bool = True) -> decoded_indices: top_paths*int64, "
    "decoded_values: top_paths*int64, decoded_shape: top_paths*int64, log_probability: T",
    devices=("CPU",),
    T=_T,
    differentiable=False,
    doc="The likeliest labellings, by beam search.",
    default_types={"T": dtypes.float32},
)


@beam_op.shape
def ctc_beam_search_decoder_shape(
    inputs: Static, sequence_length: Static, *, top_paths: int, beam_width: int, **_: object
) -> list[Any]:
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width.")
    batch = None if inputs.shape is None else inputs.shape[1]
    return [[(None, 2)] * top_paths, [(None,)] * top_paths, [(2,)] * top_paths, (batch, top_paths)]


@beam_op.kernel
def ctc_beam_search_decoder_kernel(
    inputs: torch.Tensor,
    sequence_length: torch.Tensor,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool,
) -> Any:
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width.")
    _check(inputs, sequence_length)
    logs = torch.log_softmax(inputs, 2).numpy()
    found = [
        beam_search(logs[:length, at], beam_width, top_paths, merge_repeated)
        for at, length in enumerate(sequence_length.tolist())
    ]
    if any(len(paths) < top_paths for paths in found):
        raise invalid("Less leaves in the beam search than requested.")
    parts = [_sparse_parts([paths[k][0] for paths in found]) for k in range(top_paths)]
    scores = torch.tensor([[score for _, score in paths] for paths in found], dtype=inputs.dtype)
    indices, values, shapes = zip(*parts, strict=True)
    return list(indices), list(values), list(shapes), scores.view(-1, top_paths)


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: Any = None,
) -> Any:
    """Return the likeliest class of each step, without blanks, and the sum of the logits, negated.

    `inputs` are [time, batch, class]; the blank is the last class unless `blank_index` says other.
    """
    indices, values, shape, score = greedy_op(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """Return the `top_paths` likeliest labellings of each sequence and their log-probabilities."""
    return beam_search_decoding(inputs, sequence_length, beam_width, top_paths)


def beam_search_decoding(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = False,
) -> Any:
    """Return what `ctc_beam_search_decoder` does, with equal neighbours as one if asked for."""
    indices, values, shapes, scores = beam_op(
        inputs,
        sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    parts = zip(indices, values, shapes, strict=True)
    return [SparseTensor(*each) for each in parts], scores


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> Any:
    """Return, for each row, its different labels padded with 0, and where each label is in them."""
    with in_scope(name, "ctc_unique_labels"):
        labels = convert_to_tensor(labels)
        if labels.shape.rank == 1 and labels.shape[0] == 0:  # no rows: TensorFlow looks at none
            return [cast(labels, dtypes.int64), cast(labels, dtypes.int32)]
        _check_rows(labels)
        count = shape_of(labels)[1]
        at = numbers(count)
        same = equal(expand_dims(labels, 2), expand_dims(labels, 1))
        first = reduce_min(where(same, at, count), 2)
        is_first = equal(first, at)
        # The place of a label among the different ones, right where it comes first.
        places = subtract(cumsum(cast(is_first, dtypes.int32), 1), 1)
        cells = where(is_first)
        columns = cast(boolean_mask(places, is_first), dtypes.int64)
        found = scatter_nd(
            stack([cells[:, 0], columns], 1),
            cast(boolean_mask(labels, is_first), dtypes.int64),
            cast(shape_of(labels), dtypes.int64),
        )
        return [found, gather(places, first, batch_dims=1)]


def _check_rows(labels: Any) -> None:
    rank = labels.shape.rank
    if rank == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    if rank not in (None, 2):
        raise invalid(
            f"unique expects a 1D vector. labels have the shape {labels.shape}, not [rows, ids]"
        )


def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> Any:
    """Return rows of labels in which neighbours that are equal are one, and their new lengths."""
    labels, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    is_new = concat(
        [ones_like(labels[:, :1], dtypes.bool), not_equal(labels[:, 1:], labels[:, :-1])], 1
    )
    kept = logical_and(is_new, sequence_mask(lengths, shape_of(labels)[1]))
    counts = reduce_sum(cast(kept, dtypes.int32), 1)
    width = reduce_max(counts)
    places = where(sequence_mask(counts, width))
    shape = stack([cast(shape_of(labels)[0], dtypes.int64), cast(width, dtypes.int64)])
    return scatter_nd(places, boolean_mask(labels, kept), shape), cast(counts, lengths.dtype)
