"""Names of tf.contrib.quantize."""

from placewise.contrib.quantize.graphs import create_eval_graph as create_eval_graph
from placewise.contrib.quantize.graphs import create_training_graph as create_training_graph
from placewise.contrib.quantize.graphs import experimental_create_eval_graph as experimental_create_eval_graph
from placewise.contrib.quantize.graphs import experimental_create_training_graph as experimental_create_training_graph
