"""tf.distribute: the same program on several devices, and on several machines."""

from placewise.api.v2.distribute import coordinator as coordinator
from placewise.api.v2.distribute import experimental as experimental
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
from placewise.distribute.input import DistributedIterable as DistributedDataset  # noqa: F401
from placewise.distribute.input import DistributedIterator as DistributedIterator
from placewise.distribute.input import InputContext as InputContext
from placewise.distribute.input import InputOptions as InputOptions
from placewise.distribute.input import InputReplicationMode as InputReplicationMode
from placewise.distribute.mirrored import MirroredStrategy as MirroredStrategy
from placewise.distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from placewise.distribute.one_device import OneDeviceStrategy as OneDeviceStrategy
from placewise.distribute.options import RunOptions as RunOptions
from placewise.distribute.parameter_server import (
    ParameterServerStrategyV2 as ParameterServerStrategy,  # noqa: F401
)
from placewise.distribute.reduce_op import ReduceOp as ReduceOp
from placewise.distribute.replica_context import ReplicaContext as ReplicaContext
from placewise.distribute.strategy import Strategy as Strategy
from placewise.distribute.strategy import StrategyExtended as StrategyExtended
from placewise.distribute.tpu import TPUStrategy as TPUStrategy
from placewise.distribute.values import DistributedValues as DistributedValues
from placewise.training.server import Server as Server
