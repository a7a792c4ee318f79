"""`Dataset.rejection_resample`: elements left out at random until classes are as frequent as asked.

With r[c] = target[c] / initial[c], the dataset is read twice, and the two readings are mixed:

- with probability m = min(r), the next element of the whole dataset is taken, so that a class that
  is already frequent enough costs no elements;
- else the next element that passes a test, of probability (r[c] - m) / (max(r) - m) for class c.

An element can therefore appear twice. The mixture has the target's distribution, and it is
TensorFlow's, draw by draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.data import lazy
from placewise.graph.print_ops import Print
from placewise.ops.array.concat import stack
from placewise.ops.array.gather import gather
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import expand_dims
from placewise.ops.array.static import get_static_value
from placewise.ops.array.tile import tile
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from placewise.ops.random.uniform import uniform

_SEEN_BEFORE = 10  # of each class, so that the first estimates do not jump
_ESTIMATION_BATCH = 32  # the initial distribution is estimated anew after this many elements
_READ_AHEAD = 3
_REPORTS = 10


def resampled(dataset: Any, class_of: Any, target_dist: Any, initial_dist: Any, seed: Any) -> Any:
    """Return a dataset of pairs (class, element)."""
    base = type(dataset)._base()
    # TensorFlow computes and draws in float32, whatever the distributions are given in.
    target = cast(convert_to_tensor(target_dist), dtypes.float32)
    classes = dataset.map(class_of)
    pairs = dataset.map(lambda *element: (class_of(*element), _unpacked(element)))
    if initial_dist is None:
        initials = _estimates(classes, target)
    else:
        initial = cast(convert_to_tensor(initial_dist), dtypes.float32)
        whole = _share_of_whole(get_static_value(initial), get_static_value(target))
        if whole == 1:
            return pairs
        initials = base.from_tensors(initial).repeat()
    acceptances = initials.map(lambda initial: _reported(_acceptance(initial, target), initial))
    accepted = _accepted(base.zip((acceptances, pairs)), seed).prefetch(_READ_AHEAD)
    if initial_dist is not None and whole == 0:
        return accepted
    weights = initials.map(lambda initial: _mixture(initial, target))
    return lazy.sample(base, [pairs, accepted], weights, seed, True, None)


def _unpacked(element: tuple[Any, ...]) -> Any:
    return element if len(element) > 1 else element[0]


def _share_of_whole(initial: Any, target: Any) -> float | None:
    """Return m where both distributions are known, else None."""
    if initial is None or target is None:
        return None
    return float(np.min(_ratios(initial, target, initial.dtype)))


def _ratios(initial: Any, target: Any, dtype: Any) -> Any:
    return target / (initial + np.finfo(dtype).tiny)


def _acceptance(initial: Tensor, target: Tensor) -> Any:
    ratios = _ratios(initial, target, initial.dtype.as_numpy_dtype)
    least = reduce_min(ratios)
    # Equal ratios give 0 / 0: no element passes, and none has to, since m is 1 there.
    return (ratios - least) / (reduce_max(ratios) - least)


def _reported(acceptance: Tensor, initial: Tensor) -> Any:
    """Return `acceptance`; where it leaves out half of all elements or more, say so."""
    rejected = reduce_sum((1 - acceptance) * initial)
    return cond(
        rejected < 0.5,
        lambda: acceptance,
        lambda: Print(
            acceptance,
            [rejected, initial, acceptance],
            "Proportion of examples rejected by sampler is high: ",
            first_n=_REPORTS,
            summarize=100,
        ),
    )


def _mixture(initial: Tensor, target: Tensor) -> Tensor:
    """Return how often the whole dataset and the accepted elements are read."""
    least = reduce_min(_ratios(initial, target, initial.dtype.as_numpy_dtype))
    return stack([least, 1.0 - least])


def _accepted(acceptances_and_pairs: Any, seed: Any) -> Any:
    def with_probability(acceptance: Any, pair: Any) -> Any:
        return gather(acceptance, pair[0]), pair

    def is_accepted(probability: Any, pair: Any) -> Any:
        return uniform((), dtype=probability.dtype, seed=seed) < probability

    candidates = acceptances_and_pairs.map(with_probability)
    return candidates.filter(is_accepted).map(lambda probability, pair: pair)


def _estimates(classes: Any, target: Tensor) -> Any:
    """Return, for each element, the distribution of classes counted up to its batch."""
    count = int(target.shape[0])
    start = np.full(count, _SEEN_BEFORE, np.int64)

    def counted(seen: Any, batch: Any) -> Any:
        seen = seen + reduce_sum(one_hot(batch, count, dtype=dtypes.int64), 0)
        estimate = cast(seen / reduce_sum(seen), dtypes.float32)
        return seen, tile(expand_dims(estimate, 0), [_ESTIMATION_BATCH, 1])

    return classes.batch(_ESTIMATION_BATCH).scan(start, counted).unbatch()
