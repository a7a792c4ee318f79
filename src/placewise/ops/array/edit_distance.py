"""How far sequences are from each other: edit_distance of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.values import to_numpy

_edit_distance = define(
    "EditDistance(hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64; normalize: bool = True)"
    " -> output: float32",
    devices=("CPU",),
    differentiable=False,
    doc="Return the Levenshtein distance of each sequence of one sparse tensor to another's.",
)


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Any:
    """Return the Levenshtein distances between the sequences of two sparse tensors.

    Divided by the length of the truth if `normalize`.
    """
    for which, given in (("hypothesis", hypothesis), ("truth", truth)):
        if not hasattr(given, "dense_shape") or not hasattr(given, "indices"):
            raise TypeError(f"{which.capitalize()} must be a SparseTensor.")
    return _edit_distance(
        hypothesis.indices,
        hypothesis.values,
        hypothesis.dense_shape,
        truth.indices,
        truth.values,
        truth.dense_shape,
        normalize=normalize,
        name=name,
    )


@_edit_distance.shape
def edit_distance_shape(
    hypothesis_indices: Static,
    hypothesis_values: Static,
    hypothesis_shape: Static,
    truth_indices: Static,
    truth_values: Static,
    truth_shape: Static,
    *,
    normalize: bool,
) -> Dims:
    if hypothesis_shape.value is not None and truth_shape.value is not None:
        pairs = zip(
            hypothesis_shape.value[:-1].tolist(), truth_shape.value[:-1].tolist(), strict=False
        )
        return tuple(max(pair) for pair in pairs)
    known = hypothesis_shape.shape
    return None if known is None or known[0] is None else (None,) * (known[0] - 1)


@_edit_distance.kernel
def edit_distance_kernel(
    hypothesis_indices: torch.Tensor,
    hypothesis_values: Any,
    hypothesis_shape: torch.Tensor,
    truth_indices: torch.Tensor,
    truth_values: Any,
    truth_shape: torch.Tensor,
    *,
    normalize: bool,
) -> Any:
    ours, theirs = hypothesis_shape.tolist(), truth_shape.tolist()
    if len(ours) != len(theirs):
        raise invalid(
            "Expected hypothesis_shape and truth_shape to have the same number of elements: "
            f"{len(ours)} vs. {len(theirs)}"
        )
    for name, shape, indices in (
        ("hypothesis", ours, hypothesis_indices),
        ("truth", theirs, truth_indices),
    ):
        for size in shape:
            if size < 0:
                raise invalid(f"Dimension {size} must be >= 0")
        if len(shape) < 2:
            raise invalid(
                f"Input SparseTensors must have rank at least 2, but {name}_shape rank is: "
                f"{len(shape)}"
            )
        if indices.dim() != 2 or indices.shape[1] != len(shape):
            raise invalid(
                f"Expected {name}_shape.NumElements == #cols({name}_indices), their shapes are: "
                f"{bracketed((len(shape),))} and {bracketed(indices.shape)}"
            )
    result = np.zeros([max(pair) for pair in zip(ours[:-1], theirs[:-1], strict=True)], np.float32)
    guesses = _sequences(hypothesis_indices, hypothesis_values)
    truths = _sequences(truth_indices, truth_values)
    for place in {*guesses, *truths}:
        guess, truth = guesses.get(place, []), truths.get(place, [])
        result[place] = _distance(guess, truth, normalize)
    return torch.from_numpy(result)


def _distance(guess: list[Any], truth: list[Any], normalize: bool) -> float:
    count = _levenshtein(truth, guess)
    if not normalize:
        return float(count)
    if truth:
        return count / len(truth)
    return float("inf") if guess else 0.0


def _sequences(indices: torch.Tensor, values: np.ndarray[Any, Any]) -> dict[Any, list[Any]]:
    """Return the values of each sequence by the place of the sequence."""
    items = to_numpy(values).tolist()
    found: dict[Any, list[Any]] = {}
    for row, item in zip(indices.tolist(), items, strict=True):
        found.setdefault(tuple(row[:-1]), []).append(item)
    return found


def _levenshtein(a: list[Any], b: list[Any]) -> int:
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
        before = row
    return before[-1]
