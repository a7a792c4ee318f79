"""What a sample call of an op is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One call: inputs by position (arrays, lists, host values), attributes by name.

    `error` names the exception class a bad call must raise. `differentiable` says whether the
    gradient is to be checked here; None leaves it to the op.
    """

    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    differentiable: bool | None = None
