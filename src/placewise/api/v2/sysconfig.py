"""tf.sysconfig: what the kernels were built for."""

from placewise.ops.flow.context import get_build_info as get_build_info
