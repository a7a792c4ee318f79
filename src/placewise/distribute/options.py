"""Settings of strategies: how replicas run, and how machines talk to each other."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class RunOptions(NamedTuple):
    """Settings of `Strategy.run` that only TPUs heed."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class CommunicationImplementation(enum.Enum):
    """By what machines talk: NCCL between GPUs, gloo (RING) between CPUs, or whichever fits."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


class CommunicationOptions:
    """How values are brought together across machines, and how long one waits for the others."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError(
                "Argument `implementation` must be instance of "
                "`tf.distribute.experimental.CommunicationImplementation`."
            )
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


class CollectiveHints:
    """The old name of CommunicationOptions: making one gives those."""

    def __new__(cls, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> Any:
        """Return CommunicationOptions."""
        return CommunicationOptions(bytes_per_pack, timeout_seconds)


RunOptions.__module__ = "tensorflow.python.distribute.distribute_lib"
for _kind in (CommunicationImplementation, CommunicationOptions, CollectiveHints):
    _kind.__module__ = "tensorflow.python.distribute.collective_util"
