"""Times the same cases in several processes, in turn, and prints the ratios of their best times."""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

# This folder has a keras.py, which `import keras` would find.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent]

SLOW_SECONDS = 4.0  # who takes longer than that for one call is asked once


class Limit(NamedTuple):
    """What a case promises, in ratios.

    At most `torch` times raw torch, at least `tensorflow` times faster than TensorFlow, at most
    `memory` times the memory that TensorFlow's process grows by.
    """

    torch: float | None = None
    tensorflow: float | None = None
    memory: float | None = None


def serve(cases: dict[str, Callable[..., object]]) -> None:
    """Answer the driver's questions: a case's name and a number of calls, for seconds a call.

    A case that has a `prepare` is given what that returns, which is not timed.
    """
    framework = sys.modules.get("tensorflow")
    label = f"TF {framework.__version__}" if hasattr(framework, "__version__") else ""
    print(json.dumps([label, sorted(cases)]), flush=True)
    for line in sys.stdin:
        name, count = json.loads(line)
        print(json.dumps(_best(cases[name], count)), flush=True)


def _best(call: Callable[..., object], count: int) -> float:
    best = float("inf")
    if isinstance(call, Later):
        call = call.make()
    for _ in range(3):
        prepared = [call.prepare()] if hasattr(call, "prepare") else []
        if count == 1:
            gc.collect()  # what the call before left behind is not this one's
        start = time.perf_counter()
        for _ in range(count):
            call(*prepared)
        best = min(best, (time.perf_counter() - start) / count)
        if best > SLOW_SECONDS:
            break
    return best


class Later:
    """A case that is made when it is first asked for."""

    def __init__(self, make: Callable[..., Callable[[], object]], *arguments: object) -> None:
        self._make, self._arguments = make, arguments
        self._made = None

    def make(self) -> Callable[[], object]:
        """Return what runs the case."""
        if self._made is None:
            self._made = self._make(*self._arguments)
            self._made()
        return self._made

    def __call__(self) -> object:
        """Run the case once."""
        return self.make()()


def tell_growth(cases: dict[str, Callable[..., object]], name: str) -> None:
    """Print by how many KiB the process' peak memory grows in 20 calls of a case.

    A small one of its kind runs before, so that what the framework loads at first use is there.
    """
    cases[f"small {name.split()[0]}"]()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = _kib("VmRSS")
    for _ in range(20):
        cases[name]()
    print(json.dumps(max(_kib("VmHWM") - before, 1)), flush=True)


def _kib(entry: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(entry))


class Contender:
    """A process that serves cases."""

    def __init__(self, name: str, python: str, script: str, threads: int) -> None:
        self.environment = os.environ | {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "OMP_NUM_THREADS": str(threads),
            "TF_NUM_INTRAOP_THREADS": str(threads),
        }
        self.name, self.command = name, [python, script]
        self.process = subprocess.Popen(
            [*self.command, "--serve", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
        )
        label, self.cases = self._read()
        self.label = label or name

    def _read(self) -> list | float:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended early")
        return json.loads(line)

    def seconds(self, case: str, count: int) -> float:
        """Return the best time of one call."""
        self.process.stdin.write(json.dumps([case, count]) + "\n")
        self.process.stdin.flush()
        return self._read()

    def growth(self, case: str) -> int:
        """Return by how many KiB a process of its own grows in a few calls of a case."""
        done = subprocess.run(
            [*self.command, "--growth", case, "--serve", self.name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
            check=True,
        )
        return json.loads(done.stdout)


def contest(script: str, makers: dict[str, Callable[[], dict]], limits: dict[str, Limit]) -> int:
    """Run a benchmark file: as a contender with --serve, as the driver without."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--growth", help=argparse.SUPPRESS)
    parser.add_argument(
        "--tensorflow",
        action="append",
        default=[],
        help="a Python that has TensorFlow; may be given more than once",
    )
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-k", default="", help="only cases whose name matches this pattern")
    options = parser.parse_args()
    if options.growth:
        tell_growth(makers[options.serve](), options.growth)
        return 0
    if options.serve:
        serve(makers[options.serve]())
        return 0
    script = str(Path(script).resolve())
    pythons = [("placewise", sys.executable), ("torch", sys.executable)]
    pythons += [("tensorflow", python) for python in options.tensorflow]
    contenders = [Contender(name, python, script, options.threads) for name, python in pythons]
    _row("case", [contender.label for contender in contenders], ["/torch", "faster"])
    kept = True
    for case in [name for name in limits if re.search(options.k, name)]:
        if limits[case].memory is not None:
            kept &= _report_memory(case, contenders, limits[case].memory)
        else:
            best = _timed(case, contenders, options.rounds)
            kept &= _report(case, best, limits[case])
    return 0 if kept else 1


def _timed(case: str, contenders: list[Contender], rounds: int) -> list[float]:
    """Return the best time of each contender, infinite for those that do not know the case."""
    able = [(i, c) for i, c in enumerate(contenders) if case in c.cases]
    best = [float("inf")] * len(contenders)
    counts = {}
    for index, contender in able:
        best[index] = contender.seconds(case, 1)
        counts[index] = max(1, int(0.05 / max(best[index], 1e-6)))
    for _ in range(rounds):
        for index, contender in able:
            if best[index] < SLOW_SECONDS:
                best[index] = min(best[index], contender.seconds(case, counts[index]))
    return best


def _report(case: str, best: list[float], limit: Limit) -> bool:
    ours, torch = best[:2]
    theirs = min(best[2:], default=float("inf"))
    ratio, faster = ours / torch, theirs / ours
    fails = []
    if limit.torch is not None and ratio > limit.torch:
        fails.append(f"more than {limit.torch:.3g}x torch")
    if limit.tensorflow is not None and faster < limit.tensorflow:
        fails.append(f"less than {limit.tensorflow:.3g}x faster than TensorFlow")
    told = [f"{ratio:.2f}" if ratio else "-", f"{faster:.1f}" if faster < float("inf") else "-"]
    _row(case, [_micros(each) for each in best], told, fails)
    return not fails


def _report_memory(case: str, contenders: list[Contender], limit: float) -> bool:
    told = case.split(": ")[1]
    grown = [c.growth(told) if told in c.cases else None for c in contenders]
    theirs = [each for each in grown[2:] if each is not None]
    share = grown[0] / min(theirs) if theirs else 0.0
    fails = [f"more than {limit}x TensorFlow's"] if share > limit else []
    cells = ["-" if each is None else f"{each / 1024:.1f} MiB" for each in grown]
    _row(case, cells, ["", f"{1 / share:.1f}" if share else "-"], fails)
    return not fails


def _row(case: str, cells: list[str], ratios: list[str], fails: list[str] = ()) -> None:
    cells = "".join(f"{cell:>14}" for cell in cells)
    ratios = "".join(f"{each:>8}" for each in ratios)
    print(f"{case:40}{cells}{ratios}  {'; '.join(fails)}".rstrip(), flush=True)


def _micros(seconds: float) -> str:
    return "-" if seconds == float("inf") else f"{seconds * 1e6:,.1f} µs"
