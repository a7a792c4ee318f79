"""tf.autograph of TensorFlow 1: control flow of Python functions as operations of a graph."""

from placewise.api.v2.autograph import experimental as experimental
from placewise.functions.autograph.verbosity import set_verbosity as set_verbosity
from placewise.functions.autograph.verbosity import trace as trace
from placewise.tf1.autograph import to_code as to_code
from placewise.tf1.autograph import to_graph as to_graph
