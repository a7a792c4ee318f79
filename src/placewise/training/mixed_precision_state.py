"""Whether a program uses Keras's mixed precision policies, and who wraps its optimizers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placewise.core.runtime import State, runtime


@dataclass(slots=True)
class MixedPrecision(State):
    """What libraries registered, and whether a policy is in use."""

    uses_policy: bool = False
    wrappers: dict[type, tuple[Callable[..., Any], type]] = field(default_factory=dict)


_mixed = runtime.state(MixedPrecision, lasting=True)  # a registry


def set_using_mixed_precision_policy(is_using_mixed_precision_policy: bool) -> None:
    """Note that a policy of mixed precision is in use, or no longer."""
    _mixed.uses_policy = is_using_mixed_precision_policy


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Return False: graphs are not rewritten here."""
    return False


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Callable[..., Any], wrapper_cls: type | None = None
) -> None:
    """Note how optimizers of a class are given a loss scale."""
    _mixed.wrappers[optimizer_cls] = (wrapper_fn, wrapper_cls or optimizer_cls)
