"""tf.distribute.experimental."""

from placewise.distribute.input import ValueContext as ValueContext
from placewise.distribute.one_device import CentralStorageStrategy as CentralStorageStrategy
