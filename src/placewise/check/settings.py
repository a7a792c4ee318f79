"""Rules about environment variables: names that are misspelt, values that mean nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts
from placewise.check.numbers import read_number
from placewise.core import environment
from placewise.core.namespace import nearest

# Variables of TensorFlow and CUDA that programs set, whether they have an effect here or not.
_TENSORFLOW = [
    "TF_ALLOW_SOFT_PLACEMENT",
    "TF_AUTOTUNE_THRESHOLD",
    "TF_BATCHNORM_USE_CUDNN_SPATIAL_PERSISTENT",
    "TF_CONFIG",
    "TF_CPP_MAX_VLOG_LEVEL",
    "TF_CPP_MIN_LOG_LEVEL",
    "TF_CPP_MIN_VLOG_LEVEL",
    "TF_CPP_VMODULE",
    "TF_CPP_VLOG_LEVEL",
    "TF_CUDNN_DETERMINISTIC",
    "TF_CUDNN_USE_AUTOTUNE",
    "TF_CUDNN_WORKSPACE_LIMIT_IN_MB",
    "TF_DETERMINISTIC_OPS",
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
    "TF_DISABLE_MKL",
    "TF_DISABLE_SEGMENT_REDUCTION",
    "TF_ENABLE_AUTO_MIXED_PRECISION",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_ENABLE_WINOGRAD_NONFUSED",
    "TF_ENABLE_EAGER_CLIENT_STREAMING_ENQUEUE",
    "TF_ENABLE_XLA",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_FORCE_UNIFIED_MEMORY",
    "TF_FORWARD_COMPATIBILITY_DELTA_DAYS",
    "TF_GPU_ALLOCATOR",
    "TF_GPU_HOST_MEM_LIMIT_IN_MB",
    "TF_GPU_THREAD_COUNT",
    "TF_GPU_THREAD_MODE",
    "TF_KERAS",
    "TF_MIN_GPU_MULTIPROCESSOR_COUNT",
    "TF_NUM_INTEROP_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_PER_DEVICE_MEMORY_LIMIT_MB",
    "TF_PROFILER_DISABLE_CUPTI",
    "TF_SYNC_ON_FINISH",
    "TF_USE_CUDNN_FRONTEND",
    "TF_USE_LEGACY_KERAS",
    "TF_XLA_FLAGS",
]
_CUDA = [
    "CUDA_CACHE_DISABLE",
    "CUDA_CACHE_MAXSIZE",
    "CUDA_CACHE_PATH",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_ORDER",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_HOME",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_MPS_LOG_DIRECTORY",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_VERSION",
    "CUDA_VISIBLE_DEVICES",
]
_OWN = "PLACEWISE_"
_SWITCHES = ("true", "false")
_CLOSE = 0.88  # misspelt, and not another word


def misspelt_names(facts: MachineFacts) -> Iterator[Finding]:
    """A variable differs by a letter or two from one that has a meaning."""
    tables = {
        "TF_": sorted({*_TENSORFLOW, *(name for name in environment.READ if name[:3] == "TF_")}),
        "CUDA_": _CUDA,
    }
    for name in sorted(facts.variables):
        for beginning, known in tables.items():
            if not name.startswith(beginning) or name in known:
                continue
            close = difflib.get_close_matches(name, known, n=1, cutoff=_CLOSE)
            if close and not _is_numbered(name, close[0]):
                yield _misspelt(name, close[0], facts.variables[name])


def _is_numbered(name: str, known: str) -> bool:
    """Return whether a name only adds a number, as CUDA_PATH_V12_4 does."""
    return name.startswith(known) and any(letter.isdigit() for letter in name[len(known) :])


def unknown_own_names(facts: MachineFacts) -> Iterator[Finding]:
    """A variable begins with PLACEWISE_ and is none of them."""
    known = sorted(name for name in {*environment.READ, *environment.SET} if name.startswith(_OWN))
    for name in sorted(facts.variables):
        if name.startswith(_OWN) and name not in known:
            words = [word.removeprefix(_OWN) for word in known]
            close = nearest(name.removeprefix(_OWN), words)
            if close:
                yield _misspelt(name, _OWN + close, facts.variables[name])
            else:
                yield Finding(
                    "variable-unknown",
                    "warning",
                    f"There is no setting {name}.",
                    "It has no effect. There are " + ", ".join(known) + ".",
                    f"unset {name}",
                )


def _misspelt(name: str, known: str, value: str) -> Finding:
    return Finding(
        "variable-misspelt",
        "warning",
        f"{name} is set, and nothing reads it; there is {known}.",
        "The setting has no effect, without a word.",
        f"export {known}={value}; unset {name}",
    )


def growth_value(facts: MachineFacts) -> Iterator[Finding]:
    """TF_FORCE_GPU_ALLOW_GROWTH is neither true nor false."""
    text = facts.variables.get("TF_FORCE_GPU_ALLOW_GROWTH")
    if text is not None and text not in _SWITCHES:
        yield Finding(
            "growth-value",
            "warning",
            f"TF_FORCE_GPU_ALLOW_GROWTH={text!r} is neither true nor false, so it is ignored.",
            "The program takes all memory of each GPU at once, as without the variable.",
            "export TF_FORCE_GPU_ALLOW_GROWTH=true",
        )


def log_level(facts: MachineFacts) -> Iterator[Finding]:
    """TF_CPP_MIN_LOG_LEVEL is out of its range, or hides errors."""
    text = facts.variables.get("TF_CPP_MIN_LOG_LEVEL")
    if text is None or text in ("", "0", "1", "2"):
        return
    if text == "3":
        yield Finding(
            "log-level",
            "note",
            "TF_CPP_MIN_LOG_LEVEL=3 hides errors too under TensorFlow; placewise says them anyway.",
            "Under TensorFlow the reason why a GPU is not used is among what it hides.",
            "export TF_CPP_MIN_LOG_LEVEL=2",
        )
        return
    yield Finding(
        "log-level",
        "warning",
        f"TF_CPP_MIN_LOG_LEVEL={text!r} is not 0, 1, 2 or 3.",
        "TensorFlow reads what is no number as 0 and says everything.",
        "export TF_CPP_MIN_LOG_LEVEL=2",
    )


def system_memory(facts: MachineFacts) -> Iterator[Finding]:
    """TF_DEVICE_MIN_SYS_MEMORY_IN_MB is no number, or more than a card has."""
    text = facts.variables.get("TF_DEVICE_MIN_SYS_MEMORY_IN_MB")
    if text is None:
        return
    fix = "unset TF_DEVICE_MIN_SYS_MEMORY_IN_MB"
    name = f"TF_DEVICE_MIN_SYS_MEMORY_IN_MB={text!r}"
    number = read_number(text)
    if number is None:
        why = "The usual share of each card stays free for the system instead."
        yield Finding("system-memory", "warning", f"{name} is no number of MB.", why, fix)
    elif any(number << 20 >= item.card.total_bytes for item in facts.cards):
        why = "So much of each card stays free for the system that nothing is left for programs."
        yield Finding("system-memory", "error", f"{name} is more than a card has.", why, fix)


def keras_backend(facts: MachineFacts) -> Iterator[Finding]:
    """KERAS_BACKEND asks for another backend than the one that tf.keras is."""
    text = facts.variables.get("KERAS_BACKEND")
    if text and text != "tensorflow":
        yield Finding(
            "keras-backend",
            "warning",
            f"KERAS_BACKEND={text!r}, and tf.keras is Keras on its TensorFlow backend.",
            "A program that imports keras before tensorflow stops with an ImportError.",
            "export KERAS_BACKEND=tensorflow",
        )


def launch_blocking(facts: MachineFacts) -> Iterator[Finding]:
    """CUDA_LAUNCH_BLOCKING makes the program wait for every kernel."""
    if facts.variables.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0") and facts.has_nvidia():
        yield Finding(
            "launch-blocking",
            "warning",
            "CUDA_LAUNCH_BLOCKING is set: the host waits for every kernel.",
            "It is for finding faults. Small operations take several times as long.",
            "unset CUDA_LAUNCH_BLOCKING",
        )


RULES = (
    misspelt_names,
    unknown_own_names,
    growth_value,
    log_level,
    system_memory,
    keras_backend,
    launch_blocking,
)
