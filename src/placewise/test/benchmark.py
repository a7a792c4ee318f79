"""`tf.test.Benchmark`: measurements, printed as TensorFlow prints them."""

from __future__ import annotations

import inspect
import os
import sys
import time
from typing import Any

import numpy as np

import placewise
from placewise import messages
from placewise.core import environment
from placewise.core.errors import OpError
from placewise.test.evaluation import evaluated, is_eager

_REPORT_FILES = "TEST_REPORT_FILE_PREFIX"


class Benchmark:
    """Base of classes whose methods `benchmark…` measure something.

    >>> class Addition(tf.test.Benchmark):
    ...     def benchmark_add(self):
    ...         with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...             self.run_op_benchmark(session, tf.constant(1.0) + 1.0, min_iters=3)
    >>> Addition.is_abstract()
    False
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Return True for a class without benchmarks of its own."""
        return not any(name.startswith("benchmark") for name in dir(cls))

    def evaluate(self, tensors: Any) -> Any:
        """Return tensors, or a nested structure of them, as NumPy values."""
        if is_eager():
            return evaluated(tensors)
        tf: Any = placewise
        session = tf.compat.v1.get_default_session() or tf.compat.v1.Session()
        return session.run(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Print one measurement, or write it where TEST_REPORT_FILE_PREFIX says.

        `extras`: further values by name, numbers or texts. `metrics`: dicts with a name, a value,
        and perhaps `min_value` and `max_value` that the value must keep within.
        """
        entry = messages.BenchmarkEntry(name=self._full_name(name))
        if iters is not None:
            entry.iters = iters
        for field, value in (
            ("cpu_time", cpu_time),
            ("wall_time", wall_time),
            ("throughput", throughput),
        ):
            if value is not None:
                setattr(entry, field, value)
        for key, value in (extras or {}).items():
            if isinstance(value, str):
                entry.extras[key].string_value = value
            else:
                entry.extras[key].double_value = value
        for metric in metrics or ():
            _add_metric(entry, metric)
        _write(entry)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Run an operation in a session, report how long it took (the median), and return that.

        `burn_iters` runs come first and do not count. `mbs`: megabytes that a run works through,
        for the throughput. `store_trace` adds a Chrome trace, `store_memory_usage` the bytes that
        each allocator held at the most.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        durations = []
        for _ in range(min_iters):
            start = time.time()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            durations.append(time.time() - start)
        further = dict(extras or {})
        if store_trace or store_memory_usage:
            further |= _traced(sess, op_or_tensor, feed_dict, store_trace, store_memory_usage)
        median = float(np.median(durations)) if durations else -1.0
        throughput = mbs / median if mbs and median > 0 else None
        result: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "extras": further,
            "name": name,
            "throughput": throughput,
        }
        self.report_benchmark(**result)
        return {**result, "throughput": mbs / median if median > 0 else 0.0}

    def _full_name(self, name: str | None) -> str:
        return f"{type(self).__name__}.{name or _calling_benchmark()}"


def _calling_benchmark() -> str:
    """Return the name of the benchmark that is running."""
    for frame in inspect.stack():
        if frame.function.startswith("benchmark"):
            return frame.function
    raise ValueError("Unable to determine calling Benchmark function: give a name.")


def _add_metric(entry: Any, metric: dict[str, Any]) -> None:
    if "name" not in metric or "value" not in metric:
        raise ValueError(f"A metric has a 'name' and a 'value', received {metric!r}.")
    added = entry.metrics.add(name=metric["name"], value=metric["value"])
    for bound in ("min_value", "max_value"):
        if bound in metric:
            getattr(added, bound).value = metric[bound]


def _traced(sess: Any, fetch: Any, feed_dict: Any, trace: bool, memory: bool) -> dict[str, Any]:
    """Return what one traced run tells: a Chrome trace, the most bytes of each allocator."""
    from placewise.session.timeline import Timeline  # noqa: PLC0415 - keeps torch out

    metadata = messages.RunMetadata()
    options = messages.RunOptions(trace_level=messages.RunOptions.FULL_TRACE)
    try:
        sess.run(fetch, feed_dict=feed_dict, options=options, run_metadata=metadata)
    except OpError:
        return {}
    timeline = Timeline(metadata.step_stats)
    further: dict[str, Any] = {}
    if trace:
        further["full_trace_chrome_format"] = timeline.generate_chrome_trace_format()
    if memory:
        analysis = timeline.analyze_step_stats(show_memory=False)
        for allocator, most in analysis.allocator_maximums.items():
            further[f"allocator_maximum_num_bytes_{allocator}"] = most.num_bytes
    return further


def _write(entry: Any) -> None:
    prefix = environment.read(_REPORT_FILES)
    entries = messages.BenchmarkEntries(entry=[entry])
    if prefix is None:
        sys.stdout.write(f"{entries}\n")
        return
    path = f"{prefix}{entry.name.replace('/', '__')}"
    if os.path.exists(path):
        raise OSError(f"File already exists: {path}")
    with open(path, "wb") as file:
        file.write(entries.SerializeToString())


def benchmark_config() -> Any:
    """Return a ConfigProto for sessions of benchmarks: nothing is left out of the graph."""
    config = messages.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = messages.RewriterConfig.OFF
    return config


Benchmark.__module__ = "tensorflow.python.platform.benchmark"
