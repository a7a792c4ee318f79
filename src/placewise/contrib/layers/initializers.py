"""Initializers of contrib: values spread by the size of what they connect."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from placewise.core.arguments import DTypeLike
from placewise.core.dtypes import DType, as_dtype
from placewise.graph.random_values import random_uniform, truncated_normal


def xavier_initializer(
    uniform: bool = True, seed: Any = None, dtype: DTypeLike = "float32"
) -> Callable[..., Any]:
    """Return an initializer that keeps the scale of gradients about the same in all layers."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: Any = None,
    dtype: DTypeLike = "float32",
) -> Callable[..., Any]:
    """Return an initializer whose values have a variance of `factor` over what is connected."""
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def _initializer(shape: list[Any], dtype: DType = kind, partition_info: Any = None) -> Any:
        wanted = as_dtype(dtype)
        if not wanted.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        whole = shape if partition_info is None else partition_info.full_shape
        sizes = [int(size) for size in getattr(whole, "as_list", lambda: whole)()]
        entering = float(sizes[-2] if len(sizes) > 1 else sizes[-1]) if sizes else 1.0
        leaving = float(sizes[-1]) if sizes else 1.0
        window = math.prod(sizes[:-2])
        entering, leaving = entering * window, leaving * window
        share = {"FAN_IN": entering, "FAN_OUT": leaving, "FAN_AVG": (entering + leaving) / 2.0}
        if uniform:
            limit = math.sqrt(3.0 * factor / share[mode])
            return random_uniform(shape, -limit, limit, wanted, seed=seed)
        # A distribution cut off at two deviations is narrower: made up for by 1.3.
        deviation = math.sqrt(1.3 * factor / share[mode])
        return truncated_normal(shape, 0.0, deviation, wanted, seed=seed)

    return _initializer
