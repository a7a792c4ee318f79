"""`Dataset.rejection_resample`: elements left out at random until classes are as frequent as asked.

An element of class c is kept with probability target[c] / initial[c], divided by the largest of
these; where few would be kept, the rest is drawn from the target distribution directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.ops.array.one_hot import one_hot
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_max, reduce_sum
from placewise.ops.random.uniform import uniform

_EXAMPLES = 1e-3  # how many of each class are taken as seen before anything is counted


def resampled(dataset: Any, class_of: Any, target_dist: Any, initial_dist: Any, seed: Any) -> Any:
    """Return pairs (class, element)."""
    target = convert_to_tensor(target_dist)

    def with_class(*element: Any) -> Any:
        found = cast(class_of(*element), dtypes.int32)
        return found, element if len(element) > 1 else element[0]

    classed = dataset.map(with_class)
    if initial_dist is None:
        pairs = _with_estimates(classed, target)
    else:
        initial = convert_to_tensor(initial_dist, target.dtype)
        accept = _acceptance(initial, target)
        pairs = classed.map(lambda found, element: (accept, found, element))

    def kept(accept: Any, found: Any, element: Any) -> Any:
        return uniform((), dtype=accept.dtype, seed=seed) < accept[found]

    return pairs.filter(kept).map(lambda accept, found, element: (found, element))


def _acceptance(initial: Any, target: Any) -> Any:
    if not isinstance(initial, Tensor):
        initial = np.asarray(initial)
    tiny = np.finfo(target.dtype.as_numpy_dtype).tiny
    ratio = target / maximum(initial, convert_to_tensor(tiny, target.dtype))
    return ratio / reduce_max(ratio)


def _with_estimates(classed: Any, target: Any) -> Any:
    """Return (acceptance, class, element) with the distribution as counted so far."""
    count = int(target.shape[0])
    begun = np.full(count, _EXAMPLES, target.dtype.as_numpy_dtype)

    def counted(seen: Any, pair: Any) -> Any:
        found, element = pair
        more = seen + one_hot(found, count, dtype=target.dtype)
        return more, (_acceptance(more / reduce_sum(more), target), found, element)

    return classed.scan(begun, counted)
