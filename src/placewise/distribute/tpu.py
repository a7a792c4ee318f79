"""`tf.distribute.TPUStrategy`: there to be asked for; making one says that there are no TPUs."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import NotFoundError
from placewise.distribute.strategy import Strategy


class TPUStrategy(Strategy):
    """Replicas on TPUs, which placewise does not run on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotFoundError(
            None, None,
            "There are no TPUs here: placewise runs on CPUs and GPUs. Use "
            "tf.distribute.MirroredStrategy() for the GPUs of this machine.",
        )  # fmt: skip


TPUStrategy.__module__ = "tensorflow.python.distribute.tpu_strategy"
