"""`RunConfig`: where an estimator keeps its model, how often it saves and logs, on what it runs."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from typing import Any

from placewise import messages
from placewise.core import environment
from placewise.core.log import get_logger
from placewise.estimator.cluster_tasks import (
    TRAINERS,
    Task,
    TaskType,
    device_filters,
    global_number,
    is_chief,
    read_task,
)
from placewise.training.cluster import ClusterSpec

_UNSET = object()

_REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "device_fn",
    "protocol",
    "eval_distribute",
    "experimental_distribute",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)


class RunConfig:
    """The settings of an estimator's runs."""

    def __init__(
        self,
        model_dir: Any = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int = 100,
        save_checkpoints_steps: Any = _UNSET,
        save_checkpoints_secs: Any = _UNSET,
        session_config: Any = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: Any = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: Any = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        if save_checkpoints_steps is _UNSET and save_checkpoints_secs is _UNSET:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is _UNSET:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _UNSET:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        task_config = json.loads(environment.read("TF_CONFIG") or "{}")
        found = task_config.get("model_dir")
        if model_dir is not None and found and os.fspath(model_dir) != found:
            raise ValueError(
                "`model_dir` provided in RunConfig construct, if set, must have the same value as "
                f"the model_dir in TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG model_dir: {found}."
            )
        chosen = found if model_dir is None else model_dir
        self._model_dir = None if chosen is None else os.fspath(chosen)
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        self._save_checkpoints_steps = save_checkpoints_steps
        self._save_checkpoints_secs = save_checkpoints_secs
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._train_distribute, self._eval_distribute = train_distribute, eval_distribute
        self._device_fn, self._protocol = device_fn, protocol
        self._experimental_distribute = experimental_distribute
        self._experimental_max_worker_delay_secs = experimental_max_worker_delay_secs
        self._session_creation_timeout_secs = session_creation_timeout_secs
        self._check()
        self._read_cluster(task_config)
        self._session_config = session_config or _default_session_config(
            device_filters(Task(self._task_type, self._task_id), self._cluster_spec.as_dict())
        )

    def _check(self) -> None:
        for name in (
            "save_summary_steps",
            "save_checkpoints_steps",
            "save_checkpoints_secs",
            "keep_checkpoint_max",
        ):
            value = getattr(self, f"_{name}")
            if value is not None and value < 0:
                raise ValueError(f"{name} should be >= 0")
        value = self._log_step_count_steps
        if value is not None and value <= 0:
            raise ValueError("log_step_count_steps should be > 0")

    def _read_cluster(self, task_config: dict[str, Any]) -> None:
        self._service = task_config.get("service")
        cluster = ClusterSpec(task_config.get("cluster", {}))
        jobs = cluster.as_dict()
        needs_chief = self._train_distribute is None
        task = read_task(task_config.get("task", {}), jobs, needs_chief)
        self._task_type, self._task_id = task
        is_evaluator = task.type == TaskType.EVALUATOR
        if is_evaluator:  # it is no part of the cluster that trains
            cluster, jobs = ClusterSpec({}), {}
        self._cluster_spec = cluster
        self._evaluation_master, self._master = "", ""
        if sum(map(len, jobs.values())) > 1:
            self._master = f"grpc://{jobs[task.type][task.number]}"
        self._num_ps_replicas = len(jobs.get(TaskType.PS, ()))
        trainers = [len(jobs.get(kind, ())) for kind in TRAINERS]
        self._num_worker_replicas = sum(trainers) if jobs else int(not is_evaluator)
        self._is_chief = is_chief(task, jobs)
        self._global_id_in_cluster = None if is_evaluator else global_number(task, jobs)

    def replace(self, **kwargs: Any) -> RunConfig:
        """Return settings like these with some changed."""
        made = copy.copy(self)
        for name, value in kwargs.items():
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are "
                    f"{list(_REPLACEABLE)}."
                )
            setattr(made, f"_{name}", value)
        if "save_checkpoints_steps" in kwargs and "save_checkpoints_secs" not in kwargs:
            if kwargs["save_checkpoints_steps"] is not None:
                made._save_checkpoints_secs = None
        elif kwargs.get("save_checkpoints_secs") is not None:
            made._save_checkpoints_steps = None
        made._check()
        return made

    def __getattr__(self, name: str) -> Any:
        # Every setting is read by its name without the underscore.
        own = self.__dict__.get(f"_{name}", _UNSET) if not name.startswith("_") else _UNSET
        if own is _UNSET:
            raise AttributeError(f"'RunConfig' object has no attribute {name!r}", name=name)
        return own


def _default_session_config(filters: list[str]) -> Any:
    rewrite = messages.RewriterConfig(meta_optimizer_iterations=messages.RewriterConfig.ONE)
    return messages.ConfigProto(
        allow_soft_placement=True,
        graph_options=messages.GraphOptions(rewrite_options=rewrite),
        device_filters=filters,
    )


def checked_config(config: RunConfig | None, model_dir: str | None) -> RunConfig:
    """Return the settings an estimator runs by, with the folder of its model."""
    if config is None:
        config = RunConfig()
        get_logger().info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if model_dir is not None:
        folder = os.fspath(model_dir)
        if config.model_dir is not None and config.model_dir != folder:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with different "
                f"values. In constructor: '{folder}', in `RunConfig`: '{config.model_dir}' "
            )
        return config.replace(model_dir=folder)
    if config.model_dir is None:
        folder = tempfile.mkdtemp()
        get_logger().warning("Using temporary folder as model directory: %s", folder)
        return config.replace(model_dir=folder)
    return config
