"""Random values in the spelling of TensorFlow 1.

An op without a seed of its own gets one by its place in the graph: what TensorFlow makes before it
is made before it here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.scope import Scope, current
from placewise.graph.constants import shape as shape_of
from placewise.graph.constants import zeros_like
from placewise.graph.defaults import get_default_graph
from placewise.graph.print_ops import Assert
from placewise.graph.random_values import random_uniform
from placewise.ops.array.shape import identity
from placewise.ops.array.slice_ops import slice as slice_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.image import random_adjustments
from placewise.ops.math.arithmetic import maximum
from placewise.ops.random import categorical, gamma, poisson_binomial, shuffle
from placewise.ops.random.streams import op_seeds
from placewise.tf1.names import in_scope
from placewise.tf1.ops_math import reduce_all
from placewise.tf1.spelling import spelled

stateless_multinomial = spelled(
    categorical.stateless_categorical,
    "logits, num_samples, seed, output_dtype=int64, name=None",
    output_dtype="dtype",
)
random_shuffle: Any = shuffle.shuffle


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Any:
    """Return, for each row of `logits`, `num_samples` categories drawn by their probabilities."""
    with in_scope(name, "multinomial"):
        given = convert_to_tensor(logits, name="logits")
        return categorical.categorical(given, num_samples, output_dtype, seed)


def random_poisson(
    lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Any:
    """Return `shape` samples of the Poisson distribution for each rate in `lam`."""
    with in_scope(name, "random_poisson"):
        size = convert_to_tensor(shape, dtypes.int32, name="shape")
        return poisson_binomial.poisson(size, lam, dtype, seed)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return `shape` samples of the gamma distribution for each `alpha` and `beta`."""
    if current.interpreter is Scope.eager:
        return gamma.gamma(shape, alpha, beta, dtype, seed, name)
    kind = as_dtype(dtype)
    with in_scope(name, "random_gamma"):
        size = convert_to_tensor(shape, dtypes.int32, name="shape")
        form = convert_to_tensor(alpha, kind, name="alpha")
        rate = convert_to_tensor(1 if beta is None else beta, kind, name="beta")
        spread = form + zeros_like(rate)
        drawn = gamma.gamma.bind(size, spread, **op_seeds(seed))
        return maximum(float(np.finfo(kind.as_numpy_dtype).tiny), drawn / rate)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """Return a part of `value` of the given size, at a random place."""
    if current.interpreter is Scope.eager:
        return random_adjustments.random_crop(value, size, seed, name)
    graph = get_default_graph()
    with in_scope(name, "random_crop") as scope:
        whole = convert_to_tensor(value, name="value")
        wanted = convert_to_tensor(size, dtypes.int32, name="size")
        dims = shape_of(whole)
        fits = reduce_all(dims >= wanted)
        check = Assert(fits, ["Need value.shape >= size, got ", dims, wanted], summarize=1000)
        with graph.control_dependencies([check]), graph.colocate_with(dims.op):
            dims = identity(dims, name="control_dependency")
        limit = dims - wanted + 1
        kind = wanted.dtype
        offset = random_uniform(shape_of(dims), dtype=kind, maxval=kind.max, seed=seed) % limit
        return slice_of(whole, offset, wanted, name=scope)
