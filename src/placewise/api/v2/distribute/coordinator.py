"""tf.distribute.coordinator: steps that workers run when they are free."""

from placewise.distribute.coordinator.cluster_coordinator import (
    ClusterCoordinator as ClusterCoordinator,
)
from placewise.distribute.coordinator.datasets import (
    get_current_worker_index as experimental_get_current_worker_index,  # noqa: F401
)
from placewise.distribute.coordinator.values import PerWorkerValues as PerWorkerValue  # noqa: F401
from placewise.distribute.coordinator.values import RemoteValue as RemoteValue
