"""tf.profiler: where the time of a program goes."""

from placewise.profiler import experimental as experimental
