"""`--report` and `--trace`: what the program does is recorded, and written when it ends."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from placewise.cli.errors import UnusableError
from placewise.reports.destination import check_writable, of_task

if TYPE_CHECKING:
    from placewise.forecast.forecast import Forecast


def check_files(arguments: argparse.Namespace) -> None:
    """Raise UnusableError if a file that is asked for cannot be written."""
    for option in ("report", "trace"):
        path = getattr(arguments, option, None)
        if path is not None:
            try:
                check_writable(_own(path, arguments), f"--{option}")
            except ValueError as error:
                raise UnusableError(str(error)) from None


def _own(path: str, arguments: argparse.Namespace) -> str:
    task = getattr(arguments, "task_name", None)
    return path if task is None else of_task(path, task)


@contextmanager
def recorded(arguments: argparse.Namespace, name: str) -> Iterator[None]:
    """Record a block if that is asked for; what was recorded is written however it ends."""
    wanted = [getattr(arguments, option, None) for option in ("report", "trace")]
    if not any(wanted):
        yield
        return
    # Loads torch and more, which a program without a report may never need.
    from placewise.profiler.sampling import Sampling  # noqa: PLC0415
    from placewise.reports.report import Report  # noqa: PLC0415

    page, trace = (None if path is None else _own(path, arguments) for path in wanted)
    program = "-c" if arguments.text else os.path.basename(name)
    report = Report(page, trace, program, Sampling())
    try:
        with _ended_by_signal(), report:
            yield
    finally:
        if report.is_written:
            written = " and ".join(path for path in (page, trace) if path is not None)
            print(f"placewise run: wrote {written}", file=sys.stderr)


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """Let SIGTERM end the program as an exception does, unless it has its own way with it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def write_plan_page(path: str, forecasts: Sequence[Forecast], program: str) -> None:
    """Write the page of a plan, a part for each machine."""
    from placewise.reports.plan_data import plan_data  # noqa: PLC0415 - loads torch
    from placewise.reports.report import write_plans  # noqa: PLC0415 - loads torch

    name = os.path.basename(program)
    write_plans(path, [plan_data(one, name) for one in forecasts], f"plan of {name}")
    print(f"placewise plan: wrote {path}", file=sys.stderr)
