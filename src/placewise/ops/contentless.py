"""Kernels on planned GPUs, whose tensors have shapes and no contents.

Most kernels run there as they are: torch computes the shapes of their results. Those that draw
random numbers would draw them on the host only to throw them away: their shape rule answers alone.
So it does where torch has no way to run an op without contents.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from placewise.core.runtime import State, runtime
from placewise.ops.reservation import results_of
from placewise.ops.values import to_numpy

_RANDOM = "placewise.ops.random."


@dataclass(slots=True)
class Assumptions(State):
    """What was taken for granted where only contents would tell, and how often."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """Take down one more assumption."""
        self.counts[text] = self.counts.get(text, 0) + 1


assumptions = runtime.state(Assumptions)


def loop_test(value: Any) -> Any:
    """Return the condition of a loop on the host; its name tells who reads it, in the stack."""
    return to_numpy(value)


def without_contents(op: Any, kernel: Callable[..., Any], device: Any) -> Callable[..., Any]:
    """Return a kernel as it is called on a planned GPU."""
    target = device.torch_device
    is_random = _module_of(kernel).startswith(_RANDOM)

    @functools.wraps(kernel, assigned=())
    def run(*values: Any, **attrs: Any) -> Any:
        results = _results(op, values, attrs, target) if is_random else None
        if results is not None:
            return results
        try:
            return kernel(*values, **attrs)
        except (NotImplementedError, RuntimeError) as failure:
            results = _results(op, values, attrs, target) if _is_lack(failure) else None
            if results is None:
                raise
        assumptions.add(f"{op.name}: only the shape of its result is computed")
        return results

    return run


def _module_of(kernel: Any) -> str:
    while isinstance(kernel, functools.partial):
        kernel = kernel.func
    return getattr(inspect.unwrap(kernel), "__module__", "") or ""


def _is_lack(failure: Exception) -> bool:
    """Return whether a kernel failed for lack of contents, and not for what the program did."""
    text = str(failure)
    return isinstance(failure, NotImplementedError) or "meta" in text or "Meta" in text


def _results(op: Any, values: Any, attrs: dict[str, Any], target: str) -> Any:
    """Return results of the shapes that the shape rule says; None if it does not say all."""
    attrs = {name: value for name, value in attrs.items() if name not in ("stream", "torch_device")}
    shapes = results_of(op, values, attrs)
    if not shapes or len(shapes) != len(op.outputs):
        return None
    if any(not isinstance(dtype, torch.dtype) for _, dtype in shapes):
        return None
    results = [torch.empty(shape, dtype=dtype, device=target) for shape, dtype in shapes]
    return results[0] if len(results) == 1 else results
