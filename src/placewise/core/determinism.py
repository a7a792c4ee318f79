"""Whether ops must give the same result every time, and what that asks of the kernels."""

from __future__ import annotations

import sys
from typing import Any

from placewise.core import threads
from placewise.core.runtime import State, runtime

# Sums are split over threads, so that their number changes the last digits: it is the same on every
# machine while results must be.
DETERMINISTIC_THREADS = 4


class Determinism(State):
    """What `tf.config.experimental` said."""

    deterministic: bool = False
    threads_before: int = 0  # how many torch had when that began
    tensor_float_32: bool = True

    def apply(self) -> None:
        """Set torch's own switches, if torch is loaded."""
        apply()


determinism = runtime.state(Determinism)


def enable_op_determinism() -> None:
    """Let every op give the same result each time; random ops need a seed from now on."""
    determinism.deterministic = True
    apply()


def disable_op_determinism() -> None:
    """Let ops be as fast as they can again."""
    determinism.deterministic = False
    apply()


def is_op_determinism_enabled() -> bool:
    """Return whether every op gives the same result each time."""
    return determinism.deterministic


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Let GPUs that can multiply float32 with fewer bits do so, or not."""
    determinism.tensor_float_32 = bool(enabled)
    apply()


def tensor_float_32_execution_enabled() -> bool:
    """Return whether GPUs may multiply float32 with fewer bits."""
    return determinism.tensor_float_32


def apply() -> None:
    """Set torch's own switches, if it is loaded; called again when the eager runtime loads it."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "use_deterministic_algorithms"):
        # Set only on a change: the call makes torch load its compiler, which takes seconds.
        if torch.are_deterministic_algorithms_enabled() != determinism.deterministic:
            torch.use_deterministic_algorithms(determinism.deterministic, warn_only=True)
        _fix_threads(torch)
        torch.backends.cuda.matmul.allow_tf32 = determinism.tensor_float_32


def _fix_threads(torch: Any) -> None:
    """Let torch compute with one number of threads while determinism is on, else as before."""
    if determinism.deterministic and not determinism.threads_before:
        determinism.threads_before = torch.get_num_threads()
        torch.set_num_threads(min(DETERMINISTIC_THREADS, threads.most() or DETERMINISTIC_THREADS))
    elif not determinism.deterministic and determinism.threads_before:
        torch.set_num_threads(determinism.threads_before)
        determinism.threads_before = 0
