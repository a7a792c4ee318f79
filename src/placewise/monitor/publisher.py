"""Publishes what this process does, for `placewise top`: a thread that writes its status file.

The thread is not one of `threading`, so that a program which counts its threads counts its own. It
looks at counters and stack frames that are there anyway: the program does no work for it.
"""

from __future__ import annotations

import _thread
import atexit
import os
import sys
import threading
import time
from collections import deque
from types import FrameType
from typing import Any

from placewise.core.activity import activity, current_phase
from placewise.core.frames import current_frames
from placewise.core.runtime import State, runtime
from placewise.devices.inventory import discovered_machine, known_devices
from placewise.monitor import processes, status_files
from placewise.monitor.status import DeviceUse, Status

INTERVAL_SECONDS = 0.5
_WINDOW_SECONDS = 5.0  # the step rate is that of the last so many seconds
_IMPORT = "<frozen importlib._bootstrap>"
_LONGEST_COMMAND = 200
_MOST_DEVICES = 64
_STOP_SECONDS = 2.0  # a disk that does not answer must not keep a program from ending


def start(command: str, program: str) -> None:
    """Publish the status of this process until it ends; does nothing where status is off.

    `command` is all of the command line, `program` the program in it and its arguments.
    """
    file = status_files.create()
    if file is None:
        return
    _published.dispose()
    publisher = _published.publisher = Publisher(file, command, program)
    atexit.register(publisher.stop)
    _thread.start_new_thread(publisher.run, ())


class Publisher:
    """Writes the status of this process again and again."""

    def __init__(self, file: status_files.StatusFile, command: str, program: str) -> None:
        self._file = file
        self._command = command[:_LONGEST_COMMAND]
        self._program = program[:_LONGEST_COMMAND]
        self._since = time.time()
        self._phase, self._phase_since = "starting", self._since
        self._counts: deque[tuple[float, int]] = deque()
        self._pid = os.getpid()
        facts = processes.find(self._pid)
        self._start = facts.start if facts else 0
        self._namespace = status_files.namespace()
        self._is_over = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Publish until `stop` is called, or the file cannot be written any more."""
        while not self._is_over.is_set():
            try:
                with self._lock:
                    if self._is_over.is_set():
                        return
                    self._file.write(self.status())
            except OSError:
                return  # the disk is full, or the folder is gone: the program goes on without
            self._is_over.wait(INTERVAL_SECONDS)

    def stop(self) -> None:
        """End the thread and remove the file."""
        if os.getpid() != self._pid:
            return  # a fork has no such thread, and its lock may be held for ever
        atexit.unregister(self.stop)
        self._is_over.set()
        if self._lock.acquire(timeout=_STOP_SECONDS):
            self._file.remove()

    def status(self) -> Status:
        """Return what this process does now."""
        now = time.time()
        rate = self._rate()
        phase = self._find_phase(bool(rate))
        if phase != self._phase:
            self._phase, self._phase_since = phase, now
        return Status(
            uid=os.getuid(),
            pid=self._pid,
            start=self._start,
            namespace=self._namespace,
            since=self._since,
            updated=now,
            command=self._command,
            program=self._program,
            phase=self._phase,
            phase_since=self._phase_since,
            steps=activity.steps,
            steps_per_second=rate,
            machine=discovered_machine(),
            devices=_devices(),
        )

    def _rate(self) -> float | None:
        """Return the steps a second in the window; None before the first step."""
        now, steps = time.monotonic(), activity.steps
        counts = self._counts
        if counts and steps < counts[-1][1]:
            counts.clear()  # the count began anew
        counts.append((now, steps))
        # The window begins at the first step: what went before would make the rate too small.
        while len(counts) > 2 and (counts[1][0] <= now - _WINDOW_SECONDS or not counts[1][1]):
            counts.popleft()
        began, before = counts[0]
        if not steps or now <= began:
            return None
        return round((steps - before) / (now - began), 3)

    def _find_phase(self, is_training: bool) -> str:
        phase = current_phase()
        if phase is not None:
            return phase.name
        if is_training:
            return "training"
        if _is_importing(current_frames().get(threading.main_thread().ident or 0)):
            return "importing"
        return "running" if activity.steps or known_devices() else "starting"


class Published(State):
    """What publishes this process: a second `run` in the process takes the first one's place."""

    publisher: Publisher | None

    def __init__(self) -> None:
        self.publisher = None

    def dispose(self) -> None:
        """End its thread."""
        if self.publisher is not None:
            self.publisher.stop()
            self.publisher = None


_published = runtime.state(Published)


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether the main thread is in an import statement."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT:
            return True
        frame = frame.f_back
    return False


def _devices() -> tuple[DeviceUse, ...]:
    """Return the GPUs that were started, and what is in use on each."""
    # Looked up and not imported: the ledgers load torch, which the program may not need.
    ledgers: Any = sys.modules.get("placewise.memory.ledgers")
    in_use = getattr(ledgers, "bytes_in_use", None)
    try:
        sizes = in_use() if in_use is not None else {}
    except RuntimeError:
        sizes = {}  # the GPU has failed: the program's own calls say so
    used: dict[str, DeviceUse] = {}
    for device in known_devices()[:_MOST_DEVICES]:
        card = device.card
        if card is None:
            continue
        used[device.local_name] = DeviceUse(
            name=device.local_name.removeprefix("/device:"),
            model=card.name,
            bus_id=card.bus_id,
            uuid=card.uuid,
            simulated=card.simulated,
            used_bytes=sizes.get(device.local_name, 0),
            total_bytes=card.total_bytes,
        )
    return tuple(used.values())
