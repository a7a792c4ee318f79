"""Strategies of `tf.contrib.distribute` that other arguments make."""

from __future__ import annotations

from placewise.distribute import parameter_server_v1


class ParameterServerStrategy(parameter_server_v1.ParameterServerStrategy):
    """The same as `tf.contrib.distribute` calls it; `num_gpus_per_worker`: 0 or 1."""

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        if num_gpus_per_worker > 1:
            raise NotImplementedError(
                f"num_gpus_per_worker={num_gpus_per_worker}: a worker has one replica here; start "
                "more workers, each with a GPU"
            )
        super().__init__()


ParameterServerStrategy.__module__ = (
    "tensorflow.contrib.distribute.python.parameter_server_strategy"
)
