"""`placewise.report`: records a block, and writes what it did as a page and as a trace."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from placewise.forecast.plan import Plan
from placewise.profiler import chrome_trace
from placewise.profiler.recorder import Recorder
from placewise.profiler.recording import Recording
from placewise.profiler.sampling import EVERYTHING, Sampling
from placewise.reports.destination import check_writable
from placewise.reports.device_facts import DeviceFacts, Peaks
from placewise.reports.page import to_html
from placewise.reports.plan_data import plan_data
from placewise.reports.run_data import run_data


class Report:
    """A block that is recorded; the files are written when it ends, with an error or without."""

    def __init__(
        self, path: str | None, trace: str | None, program: str, sampling: Sampling
    ) -> None:
        self.path, self.trace, self.program = path, trace, program
        self.recording: Recording | None = None  # once the block has ended
        self.devices: list[DeviceFacts] = []
        self.is_written = False
        self._recorder = Recorder(sampling)
        self._peaks = Peaks()

    def __enter__(self) -> Report:
        self._peaks.start()
        self._recorder.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.recording = self._recorder.stop()
        self.devices = self._peaks.stop()
        if self.path is not None:
            data = run_data(
                self.recording, self.devices, program=self.program, error=_error_text(error)
            )
            Path(self.path).write_text(to_html([data], self.program), encoding="utf-8")
        if self.trace is not None:
            Path(self.trace).write_bytes(_trace_bytes(self.recording, self.trace))
        self.is_written = True


def _trace_bytes(recording: Recording, path: str) -> bytes:
    if path.endswith(".gz"):
        return chrome_trace.to_gzip(recording)
    return chrome_trace.to_json(recording).encode()


def _error_text(error: BaseException | None) -> str:
    """Return what ended a program, with the line; empty if it ended by itself."""
    if error is None or (isinstance(error, SystemExit) and not error.code):
        return ""
    lines = traceback.extract_tb(error.__traceback__)
    own = [one for one in lines if os.sep + "placewise" + os.sep not in one.filename]
    at = f"\nat {own[-1].filename}:{own[-1].lineno}" if own else ""
    if isinstance(error, SystemExit) and error.code == 128 + signal.SIGTERM:
        return f"The program was ended by SIGTERM.{at}"
    if isinstance(error, KeyboardInterrupt):
        return f"The program was interrupted.{at}"
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return f"The program ended with {text}{at}"


def report(
    path: str | os.PathLike[str] | None,
    of: Plan | None = None,
    *,
    trace: str | os.PathLike[str] | None = None,
    every_run: bool = False,
) -> Any:
    """Write an HTML page that shows where ops ran and why, in time, with copies and memory.

    As a context it records what its block does: `with placewise.report("out.html"): …`. The page
    is written when the block ends, also when it ends with an error, which the page then shows.

    Args:
      path: the file of the page; None for none.
      of: what `placewise.plan` returned: the page shows it at once, and nothing is recorded.
      trace: a file for Chrome's trace format, which Perfetto shows; packed if it ends with ".gz".
      every_run: record the ops of every run of a session or function. Else those of the first
        three runs of each, then of ever fewer; of the others only the duration.

    Returns:
      The context; with `of` None.

    Raises:
      ValueError: a file cannot be written; raised at once, before anything runs.

    >>> import os, tempfile
    >>> import placewise as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "out.html")
    >>> with tf.report(path) as report:
    ...     _ = tf.constant([1.0]) + tf.constant([2.0])
    >>> [report.recording.nodes[op.node].op for op in report.recording.ops]
    ['AddV2']
    """
    page = None if path is None else os.fspath(path)
    events = None if trace is None else os.fspath(trace)
    for file, option in ((page, "report"), (events, "trace")):
        if file is not None:
            check_writable(file, option)
    if of is not None:
        if page is None:
            raise ValueError("report: a plan is written to a page: give its file")
        write_plans(page, [plan_data(forecast) for forecast in of], "plan")
        return None
    program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "this process"
    return Report(page, events, program, EVERYTHING if every_run else Sampling())


def write_plans(path: str, parts: Sequence[dict[str, Any]], title: str) -> None:
    """Write the page of a plan, one part a machine."""
    Path(path).write_text(to_html(parts, title), encoding="utf-8")
