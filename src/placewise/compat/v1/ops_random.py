"""Random values in the spelling of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from placewise.compat.v1.spelling import spelled
from placewise.ops.image import randomly
from placewise.ops.random import categorical, counts, gamma, shuffle

multinomial = spelled(
    categorical.categorical, "logits, num_samples, seed=None, name=None, output_dtype=None",
    "multinomial", output_dtype="dtype",
)  # fmt: skip
stateless_multinomial = spelled(
    categorical.stateless_categorical,
    "logits, num_samples, seed, output_dtype=int64, name=None",
    output_dtype="dtype",
)  # fmt: skip
random_poisson = spelled(
    counts.poisson, "lam, shape, dtype=float32, seed=None, name=None", "random_poisson"
)
random_gamma = spelled(
    gamma.gamma, "shape, alpha, beta=None, dtype=float32, seed=None, name=None", "random_gamma"
)
random_shuffle: Any = shuffle.shuffle
random_crop = spelled(randomly.random_crop, "value, size, seed=None, name=None", "random_crop")
