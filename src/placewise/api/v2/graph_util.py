"""tf.graph_util: graphs read from GraphDefs."""

from placewise.graph.graph_def import import_graph_def as import_graph_def
