"""`tf.distribute.experimental.MultiWorkerMirroredStrategy`: the same, with its older arguments."""

from __future__ import annotations

from typing import Any

from placewise.distribute import multi_worker
from placewise.distribute.options import CommunicationImplementation


class MultiWorkerMirroredStrategy(multi_worker.MultiWorkerMirroredStrategy):
    """MultiWorkerMirroredStrategy, given the way in which machines talk."""

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        super().__init__(cluster_resolver, communication)


MultiWorkerMirroredStrategy.__module__ = multi_worker.MultiWorkerMirroredStrategy.__module__
