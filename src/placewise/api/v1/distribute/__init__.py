"""tf.distribute of TensorFlow 1."""

from placewise.api.v1.distribute import experimental as experimental
from placewise.distribute import cluster_resolver as cluster_resolver
from placewise.distribute.context import experimental_set_strategy as experimental_set_strategy
from placewise.distribute.context import get_replica_context as get_replica_context
from placewise.distribute.context import get_strategy as get_strategy
from placewise.distribute.context import has_strategy as has_strategy
from placewise.distribute.context import in_cross_replica_context as in_cross_replica_context
from placewise.distribute.cross_device_ops import CrossDeviceOps as CrossDeviceOps
from placewise.distribute.cross_device_ops import (
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
)
from placewise.distribute.cross_device_ops import NcclAllReduce as NcclAllReduce
from placewise.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from placewise.distribute.input import InputContext as InputContext
from placewise.distribute.input import InputReplicationMode as InputReplicationMode
from placewise.distribute.options import RunOptions as RunOptions
from placewise.distribute.reduce_op import ReduceOp as ReduceOp
from placewise.distribute.replica_context import ReplicaContext as ReplicaContext
from placewise.distribute.strategy import StrategyExtended as StrategyExtended
from placewise.distribute.tf1 import MirroredStrategy as MirroredStrategy
from placewise.distribute.tf1 import OneDeviceStrategy as OneDeviceStrategy
from placewise.distribute.tf1 import Strategy as Strategy
from placewise.distribute.tf1 import get_loss_reduction as get_loss_reduction
from placewise.training.server import Server as Server
