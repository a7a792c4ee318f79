"""What came of a sample on a GPU, as data that two processes hand to each other as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["same", "differs", "fails", "skipped"]
Case = tuple[str, int]  # the name of an op, and which of its samples


@dataclass(frozen=True, slots=True)
class Outcome:
    """One sample: whether the GPU gave what the CPU gave.

    `call` is the call as text, `what` says how the results differ, why it failed or was skipped;
    `device` is where the op ran: an op that GPUs have no kernel for runs on the CPU.
    """

    op: str
    sample: int
    call: str
    verdict: Verdict
    what: str = ""
    device: str = ""
    has_gradient: bool = False
    has_broken_the_device: bool = False
