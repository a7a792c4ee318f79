"""Names of tf.contrib.distribute."""

from placewise.api.v2.distribute import MirroredStrategy as MirroredStrategy
from placewise.api.v2.distribute import OneDeviceStrategy as OneDeviceStrategy
from placewise.distribute.tf1_contrib import ParameterServerStrategy as ParameterServerStrategy
