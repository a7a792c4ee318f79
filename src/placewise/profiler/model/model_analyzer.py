"""`tf.contrib.tfprof.model_analyzer`: the profiler of graphs, as it was called first."""

from __future__ import annotations

from typing import Any

from placewise.core.namespace import public_names
from placewise.graph.graph import Graph
from placewise.profiler.model.options import ProfileOptionBuilder
from placewise.profiler.model.profile import profile

__getattr__ = public_names(__name__)

# What to measure, for `tfprof_options`.
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = ProfileOptionBuilder.time_and_memory()
ALL_ADVICE: dict[str, Any] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}


def print_model_analysis(
    graph: Graph,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
) -> Any:
    """Return and print what `tf.profiler.profile` says of a graph, by scope or by type of op."""
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
