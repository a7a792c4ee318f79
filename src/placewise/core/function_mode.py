"""How functions run in this process: as graphs or as plain Python, compiled or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placewise.core.runtime import State, runtime


@dataclass(slots=True)
class FunctionMode(State):
    """What `tf.config` said about functions."""

    run_eagerly: bool = False
    compile_all: bool = False
    optimizer_options: dict[str, Any] = field(default_factory=dict)


function_mode = runtime.state(FunctionMode)
_OPTIONS = frozenset(
    {
        "layout_optimizer",
        "constant_folding",
        "shape_optimization",
        "remapping",
        "arithmetic_optimization",
        "dependency_optimization",
        "loop_optimization",
        "function_optimization",
        "debug_stripper",
        "disable_model_pruning",
        "scoped_allocator_optimization",
        "pin_to_host_optimization",
        "implementation_selector",
        "auto_mixed_precision",
        "disable_meta_optimizer",
        "min_graph_nodes",
        "auto_mixed_precision_onednn_bfloat16",
        "auto_mixed_precision_mkl",
        "auto_parallel",
    }
)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let every `tf.function` run its Python at each call, or run as a graph again.

    `run_eagerly`: True to see each op as it runs, with a debugger or `print`.

    It holds for the whole process. Functions of `tf.data` are not affected.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.function(lambda: tf.executing_eagerly())()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    function_mode.run_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Return whether functions run their Python at every call."""
    return function_mode.run_eagerly


def set_jit(enabled: bool | str) -> None:
    """Compile every function from now on, as if all said `jit_compile=True`."""
    if enabled not in (True, False, "autoclustering"):
        raise ValueError(f"set_jit takes True, False or 'autoclustering', not {enabled!r}")
    function_mode.compile_all = bool(enabled)


def get_jit() -> str:
    """Return 'autoclustering' if functions are compiled without asking for it, else ''."""
    return "autoclustering" if function_mode.compile_all else ""


def set_experimental_options(options: dict[str, Any]) -> None:
    """Keep options of TensorFlow's graph optimizer; plans are simplified in any case."""
    for name, value in options.items():
        if name not in _OPTIONS:
            raise ValueError(
                f"{name!r} is no option of the graph optimizer; there are: "
                f"{', '.join(sorted(_OPTIONS))}"
            )
        function_mode.optimizer_options[name] = value


def get_experimental_options() -> dict[str, Any]:
    """Return the options that were set."""
    return dict(function_mode.optimizer_options)


def enable_mlir_bridge() -> None:
    """Accept TensorFlow's choice of compiler: functions are planned the same way either way."""


def disable_mlir_bridge() -> None:
    """Accept TensorFlow's choice of compiler: functions are planned the same way either way."""
