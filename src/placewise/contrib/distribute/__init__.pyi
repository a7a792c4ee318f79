"""Names of tf.contrib.distribute."""

from placewise.distribute import MirroredStrategy as MirroredStrategy
from placewise.distribute import OneDeviceStrategy as OneDeviceStrategy
