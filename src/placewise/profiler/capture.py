"""A capture of what runs: torch's profiler, written as XPlane (TensorBoard) and Chrome's trace."""

from __future__ import annotations

import datetime
import gzip
import os
import socket
import threading
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from placewise import messages
from placewise.core import environment
from placewise.core.errors import AlreadyExistsError, UnavailableError
from placewise.core.runtime import State, runtime
from placewise.ops.io import paths


class ProfilerOptions(NamedTuple):
    """How much is told: of the host, of Python, of devices; `delay_ms` waits before it starts."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


_lock = threading.Lock()


@dataclass(slots=True)
class Captures(State):
    """The capture that is going on, with the folder it is written to; at most one."""

    running: list[tuple[Any, str]] = field(default_factory=list)


_captures = runtime.state(Captures)


def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Begin to time kernels and blocks; AlreadyExistsError if that is going on already."""
    # The library below torch's profiler would say on standard error when it starts and stops.
    environment.put_default("KINETO_LOG_LEVEL", "99")
    import torch  # noqa: PLC0415 - keeps torch out

    with _lock:
        if _captures.running:
            raise AlreadyExistsError(None, None, "Another profiler is running.")
        chosen = options or ProfilerOptions()
        kinds = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available() and chosen.device_tracer_level:
            kinds.append(torch.profiler.ProfilerActivity.CUDA)
        made = torch.profiler.profile(
            activities=kinds, with_stack=bool(chosen.python_tracer_level), profile_memory=False
        )
        made.start()
        _captures.running.append((made, paths.local_path(logdir)))


def stop(save: bool = True) -> None:
    """End the capture and write it below `logdir`, unless `save` is False."""
    with _lock:
        if not _captures.running:
            raise UnavailableError(
                None, None, "Cannot export profiling results. No profiler is running."
            )
        capture, logdir = _captures.running.pop()
        capture.stop()
        if save:
            _write(capture, logdir)


class Profile:
    """A context whose block is captured."""

    def __init__(self, logdir: Any, options: ProfilerOptions | None = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *_: object) -> None:
        stop()


class Trace:
    """A context whose block appears under a name in a capture, with its arguments."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._metadata = name, kwargs
        self._block: Any = None

    def set_metadata(self, **kwargs: Any) -> None:
        """Add arguments that are known only inside the block."""
        self._metadata.update(kwargs)

    def __enter__(self) -> Trace:
        if _captures.running:
            import torch  # noqa: PLC0415 - keeps torch out

            shown = ",".join(f"{key}={value}" for key, value in self._metadata.items())
            self._block = torch.profiler.record_function(self._name, shown or None)
            self._block.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._block is not None:
            self._block.__exit__(*exception)
            self._block = None


def _write(capture: Any, logdir: str) -> None:
    now = datetime.datetime.now()
    folder = os.path.join(logdir, "plugins", "profile", now.strftime("%Y_%m_%d_%H_%M_%S"))
    with paths.told(folder):
        os.makedirs(folder, exist_ok=True)
    begin = os.path.join(folder, socket.gethostname())
    paths.write(f"{begin}.xplane.pb", _space(capture).SerializeToString())
    plain = f"{begin}.trace.json"
    capture.export_chrome_trace(plain)
    with open(plain, "rb") as file:
        paths.write(f"{begin}.trace.json.gz", gzip.compress(file.read()))
    os.unlink(plain)


def _space(capture: Any) -> Any:
    """Return the capture as an XSpace message: a plane per device, a line per thread."""
    space = messages.XSpace(hostnames=[socket.gethostname()])
    planes: dict[str, Any] = {}
    numbers: dict[tuple[str, str], int] = {}
    lines: dict[tuple[str, int], Any] = {}
    events = capture.events()
    first = min((event.time_range.start for event in events), default=0.0)
    for event in events:
        device = (
            "/host:CPU"
            if event.device_type.name == "CPU"
            else (f"/device:GPU:{event.device_index}")
        )
        plane = planes.get(device)
        if plane is None:
            plane = planes[device] = space.planes.add(id=len(planes), name=device)
        number = numbers.setdefault((device, event.name), len(numbers) + 1)
        known = plane.event_metadata[number]
        known.id, known.name = number, event.name
        line = lines.get((device, event.thread))
        if line is None:
            line = lines[device, event.thread] = plane.lines.add(
                id=event.thread, name=f"thread {event.thread}", timestamp_ns=int(first * 1000)
            )
        line.events.add(
            metadata_id=number,
            offset_ps=int((event.time_range.start - first) * 1_000_000),
            duration_ps=int(event.time_range.elapsed_us() * 1_000_000),
        )
    return space
