"""Times the same cases in several processes, in turn, and prints the ratios of their best times."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Limit(NamedTuple):
    """What a case promises: at most `torch` times raw torch, at least `tensorflow` times faster."""

    torch: float | None = None
    tensorflow: float | None = None


def serve(cases: dict[str, Callable[[], object]]) -> None:
    """Answer the driver's questions: a case's name and a number of calls, for seconds a call."""
    print(json.dumps(sorted(cases)), flush=True)
    for line in sys.stdin:
        name, count = json.loads(line)
        call = cases[name]
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            for _ in range(count):
                call()
            best = min(best, (time.perf_counter() - start) / count)
        print(json.dumps(best), flush=True)


class Contender:
    """A process that serves cases."""

    def __init__(self, name: str, python: str, script: str, threads: int) -> None:
        environment = os.environ | {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "OMP_NUM_THREADS": str(threads),
            "TF_NUM_INTRAOP_THREADS": str(threads),
        }
        self.name = name
        self.process = subprocess.Popen(
            [python, script, "--serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=environment,
        )  # fmt: skip
        self.cases = self._read()

    def _read(self) -> list[str] | float:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended early")
        return json.loads(line)

    def seconds(self, case: str, count: int) -> float:
        """Return the best time of one call."""
        self.process.stdin.write(json.dumps([case, count]) + "\n")
        self.process.stdin.flush()
        return self._read()


def contest(script: str, makers: dict[str, Callable[[], dict]], limits: dict[str, Limit]) -> int:
    """Run a benchmark file: as a contender with --serve, as the driver without."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--tensorflow", help="a Python that has TensorFlow")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-k", default="", help="only cases whose name contains this")
    options = parser.parse_args()
    if options.serve:
        serve(makers[options.serve]())
        return 0
    script = str(Path(script).resolve())
    pythons = {"placewise": sys.executable, "torch": sys.executable}
    if options.tensorflow:
        pythons["tensorflow"] = options.tensorflow
    contenders = [Contender(n, p, script, options.threads) for n, p in pythons.items()]
    print(f"{'case':34}{'placewise':>12}{'torch':>12}{'ratio':>8}{'tensorflow':>12}{'faster':>8}")
    kept = True
    for case in [name for name in limits if options.k in name]:
        best = dict.fromkeys(pythons, float("inf"))
        able = [c for c in contenders if case in c.cases]
        counts = {c.name: max(1, int(0.05 / max(c.seconds(case, 1), 1e-6))) for c in able}
        for _ in range(options.rounds):
            for contender in able:
                taken = contender.seconds(case, counts[contender.name])
                best[contender.name] = min(best[contender.name], taken)
        kept &= _report(case, best, limits[case])
    return 0 if kept else 1


def _report(case: str, best: dict[str, float], limit: Limit) -> bool:
    ours, torch = best["placewise"], best["torch"]
    theirs = best.get("tensorflow", float("inf"))
    ratio, faster = ours / torch, theirs / ours
    fails = []
    if limit.torch is not None and ratio > limit.torch:
        fails.append(f"more than {limit.torch}x torch")
    if limit.tensorflow is not None and faster < limit.tensorflow:
        fails.append(f"less than {limit.tensorflow}x faster than TensorFlow")
    print(
        f"{case:34}{_micros(ours):>12}{_micros(torch):>12}{ratio:8.2f}{_micros(theirs):>12}"
        f"{faster:8.1f}  {'; '.join(fails)}",
        flush=True,
    )
    return not fails


def _micros(seconds: float) -> str:
    return "-" if seconds == float("inf") else f"{seconds * 1e6:.2f} µs"
