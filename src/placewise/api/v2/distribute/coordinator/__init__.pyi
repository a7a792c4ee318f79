"""Names of tf.distribute.coordinator."""

from placewise.distribute.coordinator.cluster_coordinator import ClusterCoordinator as ClusterCoordinator
from placewise.distribute.coordinator.datasets import get_current_worker_index as experimental_get_current_worker_index
from placewise.distribute.coordinator.values import PerWorkerValues as PerWorkerValue
from placewise.distribute.coordinator.values import RemoteValue as RemoteValue
