"""The environment variables of the process: no other file reads or sets one.

`READ` and `SET` list them; docs/environment.md says what each one means. A variable is read when
its value is needed, so that a program may set it before that through `os.environ`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping

READ = (
    "AUTOGRAPH_STRICT_CONVERSION",
    "AUTOGRAPH_VERBOSITY",
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "MASTER_ADDR",
    "MASTER_PORT",
    "PLACEWISE_CHECK_REPLICAS",
    "PLACEWISE_CLUSTER_CA",
    "PLACEWISE_CLUSTER_CERTIFICATE",
    "PLACEWISE_CLUSTER_KEY",
    "PLACEWISE_CLUSTER_START_TIMEOUT",
    "PLACEWISE_CLUSTER_TIMEOUT",
    "PLACEWISE_CLUSTER_TOKEN",
    "PLACEWISE_LAUNCHED",
    "PLACEWISE_LEASES",
    "PLACEWISE_MEMORY",
    "PLACEWISE_NATIVE",
    "PLACEWISE_PLACE",
    "PLACEWISE_PROGRESS",
    "PLACEWISE_SIMULATE",
    "PLACEWISE_STATUS",
    "PLACEWISE_WATCH_SECONDS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "RANK",
    "SLURM_PROCID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_TASKS_PER_NODE",
    "TEST_REPORT_FILE_PREFIX",
    "TF_CONFIG",
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_FORWARD_COMPATIBILITY_DELTA_DAYS",
    "TF_MIN_GPU_MULTIPROCESSOR_COUNT",
    "TF_USE_LEGACY_KERAS",
    "TORCHELASTIC_RESTART_COUNT",
    "TORCHELASTIC_USE_AGENT_STORE",
    "WORLD_SIZE",
)
# For the program, for processes it starts, or for libraries that read them.
SET = (
    "CUDA_VISIBLE_DEVICES",
    "GRPC_VERBOSITY",
    "KERAS_BACKEND",
    "KINETO_LOG_LEVEL",
    "ONEDNN_MAX_CPU_ISA",
    "OMP_DYNAMIC",
    "OMP_NUM_THREADS",
    "OMP_WAIT_POLICY",
    "PLACEWISE_MEMORY",
    "PLACEWISE_PLACE",
    "PLACEWISE_SIMULATE",
    "PLACEWISE_WATCH_SECONDS",
    "PYTHONUNBUFFERED",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TF_CONFIG",
    "THP_MEM_ALLOC_ENABLE",
)


def read(name: str) -> str | None:
    """Return a variable as it is now; None if it is not set."""
    if name not in READ:
        raise KeyError(f"{name} is not among the environment variables that placewise reads")
    return os.environ.get(name)


def put(name: str, value: str) -> None:
    """Set a variable for this process and those it starts."""
    if name not in SET:
        raise KeyError(f"{name} is not among the environment variables that placewise sets")
    os.environ[name] = value


def put_default(name: str, value: str) -> None:
    """Set a variable unless the user has."""
    if name not in os.environ:
        put(name, value)


def of_process(changes: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for a process to start: those of this one, with changes."""
    return {**os.environ, **changes}


def variables() -> MutableMapping[str, str]:
    """Return the variables of this process as a mapping that may be changed."""
    return os.environ
