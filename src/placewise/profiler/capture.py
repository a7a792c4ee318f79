"""A capture of what runs, written as XPlane (TensorBoard) and Chrome's trace.

Kernels come from torch's profiler, ops and copies from the recorder that reports are made with.
"""

from __future__ import annotations

import datetime
import gzip
import json
import os
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core import environment
from placewise.core.errors import AlreadyExistsError, UnavailableError
from placewise.core.runtime import State, runtime
from placewise.ops.io import paths

if TYPE_CHECKING:
    from placewise.profiler.recorder import Recorder
    from placewise.profiler.recording import Recording

_FIRST_PROCESS = 10_000_000  # torch numbers processes as the system does


class ProfilerOptions(NamedTuple):
    """How much is told: of the host, of Python, of devices; `delay_ms` waits before it starts."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


_lock = threading.Lock()


class Capture(NamedTuple):
    """A capture that is going on."""

    kernels: Any  # torch's profiler
    recorder: Recorder
    logdir: str


@dataclass(slots=True)
class Captures(State):
    """The capture that is going on, with the folder it is written to; at most one."""

    running: list[Capture] = field(default_factory=list)


_captures = runtime.state(Captures)


def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Begin to time kernels and blocks; AlreadyExistsError if that is going on already."""
    # The library below torch's profiler would say on standard error when it starts and stops.
    environment.put_default("KINETO_LOG_LEVEL", "99")
    import torch  # noqa: PLC0415 - keeps torch out

    from placewise.profiler.recorder import Recorder  # noqa: PLC0415 - keeps torch out
    from placewise.profiler.sampling import EVERYTHING  # noqa: PLC0415 - keeps torch out

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
        recorder = Recorder(EVERYTHING)
        recorder.start()
        _captures.running.append(Capture(made, recorder, paths.local_path(logdir)))


def stop(save: bool = True) -> None:
    """End the capture and write it below `logdir`, unless `save` is False."""
    with _lock:
        if not _captures.running:
            raise UnavailableError(
                None, None, "Cannot export profiling results. No profiler is running."
            )
        capture = _captures.running.pop()
        recording = capture.recorder.stop()
        capture.kernels.stop()
        if save:
            _write(capture.kernels, recording, capture.logdir)


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


def _write(capture: Any, recording: Recording, logdir: str) -> None:
    from placewise.profiler.planes import to_space  # noqa: PLC0415 - keeps torch out

    now = datetime.datetime.now()
    folder = os.path.join(logdir, "plugins", "profile", now.strftime("%Y_%m_%d_%H_%M_%S"))
    with paths.told(folder):
        os.makedirs(folder, exist_ok=True)
    begin = os.path.join(folder, socket.gethostname())
    paths.write(f"{begin}.xplane.pb", to_space(capture, recording).SerializeToString())
    plain = f"{begin}.trace.json"
    capture.export_chrome_trace(plain)
    with open(plain, "rb") as file:
        paths.write(f"{begin}.trace.json.gz", gzip.compress(_with_ops(file.read(), recording)))
    os.unlink(plain)


def _with_ops(text: bytes, recording: Recording) -> bytes:
    """Return torch's trace with the ops, copies and memory of the recording in it."""
    from placewise.profiler.chrome_trace import events  # noqa: PLC0415 - keeps torch out

    trace = json.loads(text)
    zero = recording.began + trace.get("baseTimeNanoseconds", 0) - recording.began_epoch_ns
    trace["traceEvents"] += events(recording, zero, _FIRST_PROCESS)
    return json.dumps(trace).encode()
