"""Names of tf.contrib."""

from placewise.contrib import framework as framework
from placewise.contrib import layers as layers
