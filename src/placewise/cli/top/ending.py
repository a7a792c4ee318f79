"""Ends a process that a user chose, or says why not. Never one that only has the same number."""

from __future__ import annotations

import os
import signal

from placewise.cli.top.snapshot import ProcessLine
from placewise.monitor import processes


def refusal(line: ProcessLine) -> str | None:
    """Return why this user may not end a process; None if they may try."""
    if not line.is_known or line.uid is None:
        return f"pid {line.pid} is not among this machine's processes: there is nothing to end"
    if line.pid <= 1 or line.pid == os.getpid():
        return f"pid {line.pid} is not for ending from here"
    if os.getuid() not in (0, line.uid):
        return f"pid {line.pid} belongs to {line.user}: only {line.user} and root may end it"
    return None


def send(line: ProcessLine, number: signal.Signals) -> str:
    """Send a signal to a process; return what happened, in words."""
    reason = refusal(line)
    if reason is not None:
        return reason
    try:
        _send(line, number)
    except ProcessLookupError:
        return f"pid {line.pid} has ended already"
    except PermissionError:
        return f"the system does not let this user end pid {line.pid}"
    return f"{number.name} sent to pid {line.pid}"


def _send(line: ProcessLine, number: signal.Signals) -> None:
    if not hasattr(os, "pidfd_open"):
        _check(line)
        os.kill(line.pid, number)
        return
    # The handle stays that of one process, whoever gets its number after it.
    handle = os.pidfd_open(line.pid)
    try:
        _check(line)
        signal.pidfd_send_signal(handle, number)
    finally:
        os.close(handle)


def _check(line: ProcessLine) -> None:
    facts = processes.find(line.pid)
    if facts is None or facts.start != line.start or facts.uid != line.uid:
        raise ProcessLookupError
