"""tf.types.experimental.distributed: values that every replica has one of."""

from placewise.distribute.values import Mirrored as Mirrored
from placewise.distribute.values import PerReplica as PerReplica
