"""tf.graph_util of TensorFlow 1: parts of GraphDefs, variables made constants."""

from placewise.graph.graph_def import import_graph_def as import_graph_def
from placewise.saving.frozen_graphs import (
    convert_variables_to_constants as convert_variables_to_constants,
)
from placewise.saving.frozen_graphs import extract_sub_graph as extract_sub_graph
from placewise.saving.frozen_graphs import must_run_on_cpu as must_run_on_cpu
from placewise.saving.frozen_graphs import remove_training_nodes as remove_training_nodes
from placewise.saving.frozen_graphs import (
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)
