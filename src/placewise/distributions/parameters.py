"""Parameters of distributions: conversion, checks, probabilities and logits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from placewise.ops.flow.context import control_dependencies
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import log, log1p, sigmoid
from placewise.ops.math.rounding import floor
from placewise.ops.nn.softmax import softmax


def new_seed(seed: int | None, salt: str) -> int | None:
    """Return a seed for a second stream of random numbers, as TensorFlow derives it."""
    if seed is None:
        return None
    digest = hashlib.md5((str(seed) + salt).encode()).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def checked(value: Any, assertions: Sequence[Any]) -> Any:
    """Return a value that is available once assertions hold; eager ones have raised already."""
    pending = [assertion for assertion in assertions if assertion is not None]
    if not pending:
        return value
    with control_dependencies(pending):
        return identity(value)


def checked_counts(counts: Any) -> Any:
    """Return counts that are available once they are known to be whole and not negative."""
    checks = [assert_non_negative(counts, message=f"'{_shown(counts)}' must be non-negative.")]
    if counts.dtype.is_floating:
        message = f"'{_shown(counts)}' cannot contain fractional components."
        checks.append(assert_equal(counts, floor(counts), message=message))
    return checked(counts, checks)


def checked_bits(event: Any) -> Any:
    """Return values that are available once they are known to be 0 or 1."""
    checks = [assert_non_negative(event, message="Elements must be non-negative.")]
    if event.dtype.is_floating:
        message = "Elements must be bool-equivalent."
        whole = cast(cast(event, dtypes.bool), event.dtype)
        checks.append(assert_equal(event, whole, message=message))
    else:
        one = constant(1, event.dtype)
        checks.append(assert_less_equal(event, one, message="Elements cannot exceed 1."))
    return checked(event, checks)


def checked_probability(x: Any) -> Any:
    """Return values that are available once they are known to be between 0 and 1."""
    one = constant(1.0, x.dtype)
    return checked(
        x,
        [
            assert_positive(x, message="sample must be positive"),
            assert_less(x, one, message="sample must be less than `1`."),
        ],
    )


def _shown(values: Any) -> Any:
    return values.numpy() if hasattr(values, "numpy") else values


def as_floats(**values: Any) -> list[Any]:
    """Return parameters as tensors of one float dtype: that of the first that has one."""
    known = [value.dtype for value in values.values() if hasattr(value, "dtype")]
    dtype = as_dtype(known[0]).base_dtype if known else None
    tensors: list[Any] = []
    for name, value in values.items():
        tensor = convert_to_tensor(value, dtype, name=name)
        if not tensor.dtype.is_floating:
            raise ValueError(f"Expected floating point type, got {tensor.dtype}.")
        dtype = dtype or tensor.dtype
        tensors.append(tensor)
    return tensors


def logits_and_probs(logits: Any, probs: Any, multidimensional: bool = False) -> tuple[Any, Any]:
    """Return both ways to say probabilities, of the one that is given."""
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
        (logits,) = as_floats(logits=logits)
        return logits, (softmax(logits) if multidimensional else sigmoid(logits))
    (probs,) = as_floats(probs=probs)
    if multidimensional:
        return log(probs), probs
    return log(probs) - log1p(-1.0 * probs), probs


def number(value: float, dtype: Any) -> Any:
    """Return a scalar tensor."""
    return constant(value, dtype)
