"""tf.profiler of TensorFlow 1: parameters, float operations, time and memory of a graph."""

from placewise import messages as _messages
from placewise.profiler.model.options import ProfileOptionBuilder as ProfileOptionBuilder
from placewise.profiler.model.profile import Profiler as Profiler
from placewise.profiler.model.profile import profile as profile

GraphNodeProto = _messages.GraphNodeProto
MultiGraphNodeProto = _messages.MultiGraphNodeProto
