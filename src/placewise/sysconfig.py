"""tf.sysconfig: what the kernels were built for."""

from placewise.ops.flow.surroundings import get_build_info as get_build_info
