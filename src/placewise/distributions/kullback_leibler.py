"""Kullback-Leibler divergences between distributions, by the classes of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.names import name_scope
from placewise.ops.array.shape import identity
from placewise.ops.debugging.assertions import Assert
from placewise.ops.flow.context import control_dependencies
from placewise.ops.math.comparison import is_nan
from placewise.ops.math.logic import logical_not
from placewise.ops.math.reduction import reduce_all

# Filled at import and by programs: the divergence of each pair of classes.
_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Decorator: the function computes the divergence of two classes of distributions.

    The function takes a distribution of each class and `name`. A pair that is registered already
    raises ValueError.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            names = " || ".join(kind.__name__ for kind in self._key)
            raise ValueError(
                f"KL({names}) has already been registered to: {_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def _registered(first: type, second: type) -> Callable[..., Any] | None:
    """Return the function of the nearest pair of base classes."""
    pairs = [
        (distance_a + distance_b, _DIVERGENCES[a, b])
        for distance_a, a in enumerate(first.__mro__)
        for distance_b, b in enumerate(second.__mro__)
        if (a, b) in _DIVERGENCES
    ]
    return min(pairs, key=lambda pair: pair[0])[1] if pairs else None


def kl_divergence(
    distribution_a: Any,
    distribution_b: Any,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Any:
    """Return KL(a || b), the expectation of `log a - log b` under `a`.

    With `allow_nan_stats=False` a divergence that is no number raises InvalidArgumentError.
    NotImplementedError if none is known for the two classes.

    >>> D = tf.compat.v1.distributions
    >>> float(D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(1.0, 1.0)))
    0.5
    """
    function = _registered(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type "
            f"{type(distribution_b).__name__}"
        )
    with name_scope(name or "KullbackLeibler"):
        divergence = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN "
            "values (and was called with allow_nan_stats=False). Values:"
        )
        check = Assert(reduce_all(logical_not(is_nan(divergence))), [message, divergence])
        with control_dependencies([check] if check is not None else []):
            return identity(divergence, name="checked_kl")


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """Return the cross entropy of two distributions: the entropy of `ref` and the divergence."""
    with name_scope(name or "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
