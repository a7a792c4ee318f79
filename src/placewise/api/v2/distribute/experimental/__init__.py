"""tf.distribute.experimental."""

from placewise.api.v2.distribute.experimental import coordinator as coordinator
from placewise.api.v2.distribute.experimental import partitioners as partitioners
from placewise.api.v2.distribute.experimental import rpc as rpc
from placewise.distribute.input import ValueContext as ValueContext
from placewise.distribute.multi_worker_experimental import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from placewise.distribute.one_device import CentralStorageStrategy as CentralStorageStrategy
from placewise.distribute.options import CollectiveCommunication as CollectiveCommunication
from placewise.distribute.options import CollectiveHints as CollectiveHints
from placewise.distribute.options import CommunicationImplementation as CommunicationImplementation
from placewise.distribute.options import CommunicationOptions as CommunicationOptions
from placewise.distribute.parameter_server import (
    ParameterServerStrategyV2 as ParameterServerStrategy,  # noqa: F401
)
from placewise.distribute.preemption import (
    PreemptionCheckpointHandler as PreemptionCheckpointHandler,
)
from placewise.distribute.preemption import PreemptionWatcher as PreemptionWatcher
from placewise.distribute.preemption import TerminationConfig as TerminationConfig
from placewise.distribute.tpu import TPUStrategy as TPUStrategy
