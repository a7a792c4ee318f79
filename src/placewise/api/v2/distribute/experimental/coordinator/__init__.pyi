"""Names of tf.distribute.experimental.coordinator."""

from placewise.distribute.coordinator.cluster_coordinator import ClusterCoordinator as ClusterCoordinator
from placewise.distribute.coordinator.values import PerWorkerValues as PerWorkerValues
from placewise.distribute.coordinator.values import RemoteValue as RemoteValue
