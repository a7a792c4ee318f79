"""tf.profiler.experimental: a program's kernels and blocks, timed and written for TensorBoard."""

from placewise.profiler.capture import Profile as Profile
from placewise.profiler.capture import ProfilerOptions as ProfilerOptions
from placewise.profiler.capture import Trace as Trace
from placewise.profiler.capture import start as start
from placewise.profiler.capture import stop as stop
