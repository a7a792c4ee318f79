"""`tf.distribute.MultiWorkerMirroredStrategy`: replicas on several machines."""

from __future__ import annotations

from placewise.distribute.strategy import Strategy


class MultiWorkerMirroredStrategy(Strategy):
    """Synchronous training on the machines of a cluster."""


MultiWorkerMirroredStrategy.__module__ = (
    "tensorflow.python.distribute.collective_all_reduce_strategy"
)
