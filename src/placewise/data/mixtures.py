"""Datasets whose elements come from several, by choice or by chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.data.construction import derived
from placewise.data.dataset import DatasetV2
from placewise.data.engine.combinations import DirectedInterleave
from placewise.data.structure import is_compatible, most_general
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.exponential import log
from placewise.ops.random.categorical import stateless_categorical
from placewise.ops.specs import TensorSpec


def directed(base: type[Any], selector: DatasetV2, datasets: list[Any], stops: bool) -> Any:
    """Return the elements of `datasets` in the order of the numbers of `selector`."""
    spec = datasets[0].element_spec
    for index, each in enumerate(datasets[1:], 1):
        try:
            spec = most_general(spec, each.element_spec)
        except TypeError:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={datasets[0].element_spec}.\n Dataset {index} "
                f"element_spec={each.element_spec}."
            ) from None
    return derived(
        base,
        "_DirectedInterleaveDataset",
        DirectedInterleave,
        spec,
        selector._variant_tensor,
        [each._variant_tensor for each in datasets],
        sources=[selector, *datasets],
        stop_on_empty_dataset=stops,
    )


def choose(base: type[Any], datasets: list[Any], choices: DatasetV2, stops: bool) -> Any:
    """Return elements of `datasets` as `choices`, a dataset of int64 scalars, says."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(choices, DatasetV2):
        raise TypeError(
            "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
            f"{type(choices)}."
        )
    if not is_compatible(TensorSpec((), dtypes.int64), choices.element_spec):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {choices.element_spec}."
        )
    return directed(base, choices, list(datasets), stops)


def sample(
    base: type[Any], datasets: list[Any], weights: Any, seed: int, stops: bool, renewed: bool | None
) -> Any:
    """Return elements drawn from `datasets` at random."""
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    count = len(datasets)
    if isinstance(weights, DatasetV2):
        logits: Any = base.zip((weights, base.random(seed, renewed).batch(2, True))).map(
            lambda p, pair: stateless_categorical(_log([p]), 1, seed=pair)[0, 0]
        )
        return directed(base, logits, datasets, stops)
    if weights is None:
        if count == 1:
            return datasets[0]
        logits = np.ones((1, count), np.float32)
    else:
        if not isinstance(weights, Tensor):
            weights = np.asarray(weights)
            if weights.dtype not in (np.float32, np.float64):
                raise TypeError(
                    "Invalid `weights`. `weights` type must be either `tf.float32` or "
                    f"`tf.float64` but is {weights.dtype}."
                )
        if weights.shape[0] not in (count, None):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={weights.shape[0]}` vs. `len(datasets)={count}`."
            )
        if not isinstance(weights, Tensor):
            of_no_elements = datasets[0].take(0)
            keep = [k for k in range(count) if weights[k] > 0]
            if len(keep) < count:
                datasets = [datasets[k] for k in keep]
                weights = weights[keep]
            if not keep:
                return of_no_elements
            if len(datasets) == 1:
                return datasets[0]
        logits = _log([weights])
    fixed = convert_to_tensor(logits)
    selector = (
        base.random(seed, renewed)
        .batch(2, drop_remainder=True)
        .map(lambda pair: stateless_categorical(fixed, 1, seed=pair)[0, 0])
    )
    return directed(base, selector, datasets, stops)


def _log(value: list[Any]) -> Any:
    if isinstance(value[0], np.ndarray):
        return np.log(np.asarray(value))
    return log(convert_to_tensor(value))
