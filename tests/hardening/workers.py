"""Cases run in a process of their own, with limits of memory and time; a death costs one case.

A campaign is a class whose `run(number)` does one case and returns what was wrong, or None. The
worker writes the number of the case it is at into a file that the supervisor reads: when the
process dies or stops, that case is the culprit, and the next process goes on after it.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CAMPAIGNS = {
    "ops": "tests.hardening.op_calls:Calls",
    "public": "tests.hardening.public_calls:PublicCalls",
    "graphs": "tests.hardening.graph_defs:GraphDefs",
    "checkpoints": "tests.hardening.files:Checkpoints",
    "saved models": "tests.hardening.files:SavedModels",
    "records": "tests.hardening.files:Records",
    "saved datasets": "tests.hardening.files:SavedDatasets",
    "events": "tests.hardening.files:Events",
    "images": "tests.hardening.files:Images",
    "audio": "tests.hardening.files:Audio",
    "keras files": "tests.hardening.files:KerasFiles",
    "differential": "tests.hardening.differential:Answers",
    "kills": "tests.hardening.kills:Kills",
    "interrupts": "tests.hardening.interrupts:Interrupts",
    "failing workers": "tests.hardening.failing_workers:FailingWorkers",
    "device strings": "tests.hardening.texts:DeviceStrings",
    "machines": "tests.hardening.texts:Machines",
    "TF_CONFIG": "tests.hardening.texts:TFConfig",
    "CUDA_VISIBLE_DEVICES": "tests.hardening.texts:VisibleDevices",
    "command line": "tests.hardening.texts:CommandLine",
}
CPU_SECONDS = 5.0  # for a case
WALL_SECONDS = 90.0  # without a next case: the process is ended
BEGIN_SECONDS = 600.0  # until the first case: imports take long on a busy machine
MEMORY_BYTES = 4 << 30  # above what the process has when it begins


def work(name: str, first: int, last: int, progress: str, folder: str) -> None:
    """Run cases in this process; a line of JSON for each that went wrong."""
    module, _, attribute = CAMPAIGNS[name].partition(":")
    campaign = getattr(importlib.import_module(module), attribute)()
    os.chdir(folder)
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    limit = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    out = os.dup(1)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    at = os.open(progress, os.O_WRONLY)
    for number in range(first, last):
        os.pwrite(at, struct.pack("q", number), 0)
        start = time.process_time()
        problem = campaign.run(number)
        spent = time.process_time() - start
        if problem is None and spent > CPU_SECONDS:
            problem = f"slow: {spent:.0f} s of CPU"
        if problem is not None:
            line = json.dumps({"case": number, "problem": problem, "what": campaign.last})
            os.write(out, line.encode() + b"\n")
    os.pwrite(at, struct.pack("q", last), 0)
    os._exit(0)


MEASURES = {
    "threads: sessions": "from tests.hardening.threads import sessions as f; r = f(32, {n})",
    "threads: functions": "from tests.hardening.threads import functions as f; r = f(32, {n})",
    "threads: eager": "from tests.hardening.threads import eager as f; r = f(32, {n})",
    "closing while running": "from tests.hardening.threads import closing as f; r = f({n})",
    "soak: ops": "from tests.hardening.soak import grown, ops; r = grown(ops, {n})",
    "soak: graphs": "from tests.hardening.soak import grown, graph; r = grown(graph, {n})",
    "soak: Keras models": "from tests.hardening.soak import grown, model; r = grown(model, {n})",
}
MEASURE_SECONDS = 7200.0


def measured(name: str, count: int) -> Iterator[dict[str, Any]]:
    """Run a measurement of one process in a process of its own; yield what went wrong."""
    root = str(Path(__file__).resolve().parents[2])
    code = MEASURES[name].format(n=count) + "; import json; print(json.dumps(r))"
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=root,
        timeout=MEASURE_SECONDS,
        check=False,
    )
    if process.returncode:
        yield {"case": 0, "problem": f"died: {process.stderr[-300:]}", "what": name}
        return
    for problem in json.loads(process.stdout.splitlines()[-1]):
        yield {"case": 0, "problem": problem, "what": name}


def campaign(name: str, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Run cases in worker processes; yield what went wrong with each that failed."""
    last = first + count
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "progress"
        while first < last:
            progress.write_bytes(struct.pack("q", first - 1))
            yield from _one_worker(name, first, last, progress, folder)
            first = struct.unpack("q", progress.read_bytes())[0] + 1


def _one_worker(
    name: str, first: int, last: int, progress: Path, folder: str
) -> Iterator[dict[str, Any]]:
    place = Path(folder) / "work"
    place.mkdir(exist_ok=True)
    root = str(Path(__file__).resolve().parents[2])
    arguments = (name, first, last, str(progress), str(place))
    code = f"from tests.hardening.workers import work; work(*{arguments!r})"
    output = Path(folder) / "output"
    with output.open("wb") as file, (Path(folder) / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=file,
            stderr=errors,
            cwd=root,
            env={**os.environ, "PYTHONPATH": _search_path(root), "OMP_NUM_THREADS": "1"},
        )
        try:
            is_stopped = _watch(process, progress, first)
        finally:
            process.kill()
            process.wait()
    for line in output.read_text().splitlines():
        yield json.loads(line)
    case = struct.unpack("q", progress.read_bytes())[0]
    if case < last:
        words = (Path(folder) / "errors").read_text(errors="replace").strip()[-300:]
        if case < first:
            raise RuntimeError(f"campaign {name} cannot begin: {words}")
        end = "stopped" if is_stopped else f"died with {process.returncode}"
        yield {"case": case, "problem": f"{end}: {words}", "what": ""}


def _search_path(root: str) -> str:
    """Return where workers import from: what the caller imports from, and the tests."""
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([root, inherited] if inherited else [root])


def _watch(process: subprocess.Popen[bytes], progress: Path, first: int) -> bool:
    """Wait until a worker ends; end it if it stays at one case. Return whether it was ended."""
    before, since = -2, time.monotonic()
    while process.poll() is None:
        case = struct.unpack("q", progress.read_bytes())[0]
        if case != before:
            before, since = case, time.monotonic()
        elif time.monotonic() - since > (WALL_SECONDS if case >= first else BEGIN_SECONDS):
            return True
        time.sleep(0.05)
    return False
