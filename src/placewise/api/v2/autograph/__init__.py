"""tf.autograph: control flow of Python functions as operations of a graph."""

from placewise.api.v2.autograph import experimental as experimental
from placewise.functions.autograph.api import to_code as to_code
from placewise.functions.autograph.api import to_graph as to_graph
from placewise.functions.autograph.verbosity import set_verbosity as set_verbosity
from placewise.functions.autograph.verbosity import trace as trace
