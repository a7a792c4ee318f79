"""What programs do, row by row beside TensorFlow: the ratio of the best times, and its limit.

The rows are in `benchmarks/rows/`, a file a topic, in TensorFlow's words only: the same code runs
in a process of placewise and in one of TensorFlow, which take turns. With one thread the CPU time
of the process is what counts (other work on the machine does not disturb it), with several the
clock.

    python benchmarks/workloads.py --tensorflow /path/to/python                  # every row
    python benchmarks/workloads.py --tensorflow /path/to/python strings -k hash  # of a topic, some
    python benchmarks/workloads.py --tensorflow /path/to/python --memory         # peak memory
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
# This folder has a keras.py, which `import keras` would find.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER))

SECONDS_A_ROUND = 0.1
MEMORY_LIMIT = 0.7


class Server:
    """A process that runs the rows of one topic in one framework."""

    def __init__(self, framework: str, python: str, topic: str, threads: int) -> None:
        self.name = framework
        counts = {"OMP_NUM_THREADS": str(threads), "TF_NUM_INTRAOP_THREADS": str(threads)}
        counts |= {"TF_NUM_INTEROP_THREADS": str(threads)}
        self._process = subprocess.Popen(
            [python, __file__, "--serve", framework, "--threads", str(threads), topic],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | counts | {"TF_CPP_MIN_LOG_LEVEL": "3"},
        )

    def ask(self, row: str, count: int) -> Any:
        """Return the seconds of one call, or what went wrong as a string."""
        try:
            self._process.stdin.write(json.dumps([row, count]) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            return f"{self.name} ended early"

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.wait()


def serve(framework: str, topic: str, threads: int) -> None:
    """Answer with the seconds a call of a row takes; with its peak memory where the count is 0."""
    tf = load(framework, threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    makers = importlib.import_module(f"rows.{topic}").ROWS
    ready: dict[str, Callable[[], object]] = {}
    for line in sys.stdin:
        row, count = json.loads(line)
        try:
            if row not in ready:
                ready[row] = makers[row](tf)
                ready[row]()
            answer: Any = timed(ready[row], count, clock) if count else peak(ready[row])
        except Exception as error:  # a row that fails is a line of the table
            answer = f"{framework}: {type(error).__name__}: {str(error)[:80]}"
        print(json.dumps(answer), flush=True)


def load(framework: str, threads: int) -> Any:
    """Return the framework's `tf`, limited to some threads."""
    if framework == "placewise":
        import placewise

        placewise.install_as_tensorflow()
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    return tf


def timed(call: Callable[[], object], count: int, clock: Callable[[], float]) -> float:
    """Return the seconds of one of some calls."""
    gc.collect()
    start = clock()
    for _ in range(count):
        call()
    return (clock() - start) / count


def peak(call: Callable[[], object]) -> float:
    """Return the MiB this process has held at most, after some calls."""
    for _ in range(5):
        call()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compare(row: str, servers: list[Server], rounds: int) -> list[Any]:
    """Return each server's best seconds, asked in turn."""
    best = [server.ask(row, 1) for server in servers]
    if any(isinstance(seconds, str) for seconds in best):
        return best
    counts = [max(1, int(SECONDS_A_ROUND / max(seconds, 1e-7))) for seconds in best]
    for _ in range(rounds):
        for index, server in enumerate(servers):
            best[index] = min(best[index], server.ask(row, counts[index]))
    return best


def report(row: str, cells: list[Any], limit: float, reason: str, unit: str) -> bool:
    """Print a row; return whether it is within its limit."""
    wrong = [cell for cell in cells if isinstance(cell, str)]
    if wrong:
        print(f"{row:44} {'; '.join(wrong)}", flush=True)
        return False
    ours, theirs = cells
    ratio = ours / theirs
    text = (f"{cell * 1e6:,.1f} us" if unit == "us" else f"{cell:,.0f} MiB" for cell in cells)
    verdict = "" if ratio <= limit else "over"
    columns = "".join(f"{cell:>16}" for cell in text)
    print(f"{row:44}{columns}{ratio:>8.2f}{limit:>7.2f}  {verdict:5}{reason}".rstrip(), flush=True)
    return ratio <= limit


def run_topic(topic: str, options: argparse.Namespace) -> list[bool]:
    """Compare the rows of a topic; return which are within their limits."""
    module = importlib.import_module(f"rows.{topic}")
    pythons = {"placewise": sys.executable, "tensorflow": options.tensorflow}
    names = [row for row in module.ROWS if re.search(options.k, row)]
    kept = []
    servers: list[Server] = []
    alone = getattr(module, "ALONE", frozenset())
    for row in names:
        # Peaks are of processes that ran one row only.
        is_alone = options.memory or row in alone
        if is_alone or not servers:
            for server in servers:
                server.close()
            servers = [Server(*each, topic, options.threads) for each in pythons.items()]
        limit, reason = module.LIMITS.get(row, (module.LIMIT, ""))
        if options.memory:
            kept.append(report(row, [s.ask(row, 0) for s in servers], MEMORY_LIMIT, "", "MiB"))
        else:
            cells = compare(row, servers, options.rounds)
            kept.append(report(row, cells, limit, reason, "us"))
        if is_alone:
            for server in servers:
                server.close()
            servers = []
    for server in servers:
        server.close()
    return kept


def main() -> int:
    """Run as a server with --serve, as the driver without."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topics", nargs="*", help="files of benchmarks/rows; all without")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--tensorflow", help="a Python that has TensorFlow")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="compare peak memory")
    parser.add_argument("-k", default="", help="only rows whose name matches this pattern")
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.topics[0], options.threads)
        return 0
    if not options.tensorflow:
        parser.error("--tensorflow is needed: the rows are ratios")
    topics = options.topics or sorted(
        path.stem for path in (FOLDER / "rows").glob("*.py") if path.stem != "__init__"
    )
    print(f"{'row':44}{'placewise':>16}{'TensorFlow':>16}{'ratio':>8}{'limit':>7}")
    kept: list[bool] = []
    for topic in topics:
        print(f"-- {topic}")
        kept += run_topic(topic, options)
    print(f"{sum(kept)} of {len(kept)} rows within their limits")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
