"""Whether ops must give the same result every time, and what that asks of the kernels."""

from __future__ import annotations

import sys


class _State:
    """What `tf.config.experimental` said."""

    deterministic = False
    tensor_float_32 = True


STATE = _State()


def enable_op_determinism() -> None:
    """Let every op give the same result each time; random ops need a seed from now on."""
    STATE.deterministic = True
    apply()


def disable_op_determinism() -> None:
    """Let ops be as fast as they can again."""
    STATE.deterministic = False
    apply()


def is_op_determinism_enabled() -> bool:
    """Return whether every op gives the same result each time."""
    return STATE.deterministic


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Let GPUs that can multiply float32 with fewer bits do so, or not."""
    STATE.tensor_float_32 = bool(enabled)
    apply()


def tensor_float_32_execution_enabled() -> bool:
    """Return whether GPUs may multiply float32 with fewer bits."""
    return STATE.tensor_float_32


def apply() -> None:
    """Tell torch, if it is loaded; the eager runtime asks again when it loads it."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "use_deterministic_algorithms"):
        # Only a change is told: torch loads its compiler, for seconds, to hear of it.
        if torch.are_deterministic_algorithms_enabled() != STATE.deterministic:
            torch.use_deterministic_algorithms(STATE.deterministic, warn_only=True)
        torch.backends.cuda.matmul.allow_tf32 = STATE.tensor_float_32
