"""tf.distribute.experimental of TensorFlow 1."""

from placewise.distribute.options import CollectiveCommunication as CollectiveCommunication
from placewise.distribute.options import CollectiveHints as CollectiveHints
from placewise.distribute.options import CommunicationImplementation as CommunicationImplementation
from placewise.distribute.options import CommunicationOptions as CommunicationOptions
from placewise.distribute.parameter_server_v1 import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from placewise.distribute.tf1 import CentralStorageStrategy as CentralStorageStrategy
from placewise.distribute.tf1 import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from placewise.distribute.tpu import TPUStrategy as TPUStrategy
