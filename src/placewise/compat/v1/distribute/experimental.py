"""tf.distribute.experimental of TensorFlow 1."""

from placewise.distribute.older import CentralStorageStrategy as CentralStorageStrategy
from placewise.distribute.older import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from placewise.distribute.options import CollectiveCommunication as CollectiveCommunication
from placewise.distribute.options import CollectiveHints as CollectiveHints
from placewise.distribute.options import CommunicationImplementation as CommunicationImplementation
from placewise.distribute.options import CommunicationOptions as CommunicationOptions
from placewise.distribute.tpu import TPUStrategy as TPUStrategy
