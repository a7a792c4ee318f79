"""tf.profiler: where the time of a program goes."""

from placewise.api.v2.profiler import experimental as experimental
