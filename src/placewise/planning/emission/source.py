"""A plan as Python, compiled: the entry of emission."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.planning.emission.program import FILE, Program
from placewise.planning.emission.writer import Writer
from placewise.planning.plan import Plan, Ref
from placewise.planning.training import is_training_step


def compile_plan(
    plan: Plan,
    handles: dict[Ref, Any],
    stream_of: Callable[[Any], Any] | None = None,
    traced: bool = False,
    facts: Any = None,
    like: Program | None = None,
    scripts: bool = True,
) -> Program:
    """Return the program of a plan.

    `handles` are the session's state for `plan.handles`. `stream_of` returns the random stream that
    an operation continues. If `traced`, the program takes a trace as its first argument and reports
    each step to it. With `facts`, it then takes the run of a record, and reports transfers and
    operations to that. `like` is another program of the plan, whose constants serve again. With
    `scripts`, runs of small steps are calls of torch's interpreter (`planning/scripts`).
    """
    writer = Writer(plan, handles, stream_of, traced, facts, scripts)
    if like is not None:
        writer.constants = like.constants
    source = writer.text()
    space = writer.space
    exec(compile(source, FILE, "exec"), space)
    # Out of its own namespace: no reference cycle, so what the plan holds is freed with its last
    # user and not by the next garbage collection.
    call = space.pop("run")
    if writer.has_numbers:
        call = np.errstate(all="ignore")(call)
    return Program(
        call,
        source,
        writer.steps,
        writer.names,
        plan.feeds,
        writer.constants,
        is_training_step(plan, handles),
        writer.is_native,
    )
