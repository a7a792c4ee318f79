"""Functions of which one is chosen by the device: cuDNN's recurrent nets in Keras 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def execute_fn_for_device(
    device_branch_fns: dict[str, Callable[[], Any]],
    default_fn: Callable[[], Any],
    name: str = "execute_fn",
) -> Any:
    """Return the result of the function for CPUs, or of `default_fn` if there is none.

    Its ops run on every device here, GPUs too: those of other branches are cuDNN's alone.
    """
    return device_branch_fns.get("CPU", default_fn)()
