"""Sessions on a server of another process, on the loopback interface, against TensorFlow's own.

Each contender serves itself: its client runs small steps, fetches and feeds 100 MB, and trains
variables of a parameter server. They take turns, and the best round of each counts.

    python benchmarks/cluster.py [--tensorflow PYTHON] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent]

# What is promised: at least so much, and at least what TensorFlow has in the same run.
LIMITS = {
    "small runs a second": 1000.0,
    "fetch of 100 MB, GB/s": 1.0,
    "feed of 100 MB, GB/s": None,
    "steps on a parameter server a second": None,
}
LARGE = 25_000_000


def load(name: str) -> Any:
    """Return TensorFlow 1's names of a contender, with graphs."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
    # One thread each: client and server share the processors.
    os.environ["OMP_NUM_THREADS"] = os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
    if name == "placewise":
        import placewise.v1 as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    return tf


def rate(call: Any, seconds: float = 1.0) -> float:
    """Return how often a second something can be called, by the median call.

    A mean would tell of what else the machine does: a call that waits for a processor counts for
    ten others.
    """
    call()
    times = []
    end = time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        call()
        times.append(time.perf_counter() - begin)
    return 1.0 / statistics.median(times)


def measure(name: str, target: str) -> dict[str, float]:
    """Return the figures of one client."""
    import numpy as np

    tf = load(name)
    x = tf.placeholder(tf.float32, [4])
    y = x + 1.0
    large = tf.get_variable("large", initializer=tf.ones([LARGE]))
    fed = tf.placeholder(tf.float32, [LARGE])
    first = fed[0]
    weights = [tf.get_variable(f"w{k}", initializer=tf.ones([256, 256])) for k in range(8)]
    train = tf.group(*[weight.assign_sub(weight * 0.001) for weight in weights])
    values, small = np.ones(LARGE, "f"), np.ones(4, "f")
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        gigabytes = values.nbytes / 1e9
        return {
            "small runs a second": rate(lambda: session.run(y, {x: small})),
            "fetch of 100 MB, GB/s": gigabytes * rate(lambda: session.run(large)),
            "feed of 100 MB, GB/s": gigabytes * rate(lambda: session.run(first, {fed: values})),
            "steps on a parameter server a second": rate(lambda: session.run(train)),
        }


def serve(name: str, port: str) -> None:
    """Serve one task until the process is ended."""
    tf = load(name)
    server = tf.train.Server({"local": [f"localhost:{port}"]}, protocol="grpc")
    print("serving", flush=True)
    server.join()


class Contender:
    """A server in a process of its own, and clients that measure it one after the other."""

    def __init__(self, name: str, python: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        self._command = [python, __file__, "--as", name]
        self._target = f"grpc://localhost:{port}"
        serving = [*self._command, "--serve", port]
        self._server = subprocess.Popen(serving, stdout=subprocess.PIPE)
        self._server.stdout.readline()  # type: ignore[union-attr]  # it is a pipe

    def measure(self) -> dict[str, float]:
        """Return the figures of one client."""
        client = [*self._command, "--measure", self._target]
        done = subprocess.run(client, check=True, stdout=subprocess.PIPE, text=True)
        figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
        return figures

    def end(self) -> None:
        """End the server."""
        self._server.kill()
        self._server.wait()


def main() -> None:
    """Compare, or be a part of the comparison."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorflow", help="the Python that has TensorFlow")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--as", dest="name", default="placewise", help=argparse.SUPPRESS)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.name, options.serve)
    elif options.measure:
        print(json.dumps(measure(options.name, options.measure)))
    else:
        compare(options)


def compare(options: Any) -> None:
    """Print a line per case: each contender's best, and whether the promise holds."""
    pythons = {"placewise": sys.executable}
    if options.tensorflow:
        pythons["tensorflow"] = options.tensorflow
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
    contenders: dict[str, Contender] = {}
    try:
        for name, python in pythons.items():
            contenders[name] = Contender(name, python)
        for _ in range(options.rounds):
            for name, contender in contenders.items():
                figures[name].append(contender.measure())
    finally:
        for contender in contenders.values():
            contender.end()
    best = {
        name: {case: max(figure[case] for figure in rounds) for case in LIMITS}
        for name, rounds in figures.items()
    }
    for case, limit in LIMITS.items():
        ours, theirs = best["placewise"][case], best.get("tensorflow", {}).get(case)
        holds = (limit is None or ours >= limit) and (theirs is None or ours >= theirs)
        against = "" if theirs is None else f"   TensorFlow {theirs:10.2f}   {ours / theirs:.2f}x"
        print(f"{case:40} {ours:10.2f}{against}   {'holds' if holds else 'FAILS'}")


if __name__ == "__main__":
    main()
