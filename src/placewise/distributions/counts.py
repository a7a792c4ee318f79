"""What distributions over counts share: the logarithm of the number of orders."""

from __future__ import annotations

from typing import Any

from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.special import lgamma


def log_combinations(n: Any, counts: Any) -> Any:
    """Return the logarithm of in how many orders `n` things with given counts may come."""
    return lgamma(n + 1.0) - reduce_sum(lgamma(counts + 1.0), -1)
