"""TPUs, which placewise does not run on: asking for one fails as on any machine without them.

Programs look for a TPU in a `try` block and go on with another strategy on ValueError.
"""

from __future__ import annotations

import enum
from typing import Any

from placewise.distribute.resolvers import ClusterResolver
from placewise.distribute.strategy import Strategy

_NONE_HERE = (
    "Please provide a TPU Name to connect to. There are no TPUs here: placewise runs on CPUs and "
    "GPUs; use tf.distribute.MirroredStrategy() for the GPUs of this machine."
)


class TPUClusterResolver(ClusterResolver):
    """A cluster of TPUs, which placewise cannot run on: making one raises ValueError.

    `tpu`, `zone`, `project`, `job_name`, `coordinator_name`, `coordinator_address`, `credentials`,
    `service`, `discovery_url`: where TensorFlow would look for TPUs; not read here.

    Programs that look for TPUs catch the error and go on with GPUs.

    >>> try:
    ...     tf.distribute.cluster_resolver.TPUClusterResolver()
    ... except ValueError:
    ...     print("no TPU")
    no TPU
    """

    def __init__(
        self,
        tpu: Any = None,
        zone: Any = None,
        project: Any = None,
        job_name: str = "worker",
        coordinator_name: Any = None,
        coordinator_address: Any = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: Any = None,
    ) -> None:
        raise ValueError(_NONE_HERE)

    @staticmethod
    def connect(tpu: Any = None, zone: Any = None, project: Any = None) -> Any:
        """Connect to TPUs and make them ready."""
        raise ValueError(_NONE_HERE)


class TPUStrategy(Strategy):
    """Replicas on TPUs."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ValueError(_NONE_HERE)


TPUStrategy.__module__ = "tensorflow.python.distribute.tpu_strategy"
TPUClusterResolver.__module__ = (
    "tensorflow.python.distribute.cluster_resolver.tpu.tpu_cluster_resolver"
)


class HardwareFeature:
    """What a TPU can do, as its system says."""

    class EmbeddingFeature(enum.Enum):
        """Whether a TPU has hardware for embedding tables, and which."""

        UNSUPPORTED = "UNSUPPORTED"
        V1 = "V1"
        V2 = "V2"

    def __init__(self, tpu_hardware_feature_proto: Any) -> None:
        self.tpu_hardware_feature_proto = tpu_hardware_feature_proto

    @property
    def embedding_feature(self) -> HardwareFeature.EmbeddingFeature:
        """The hardware for embedding tables."""
        number = int(self.tpu_hardware_feature_proto.embedding_feature)
        return list(HardwareFeature.EmbeddingFeature)[number]
