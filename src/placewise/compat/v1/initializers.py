"""tf.initializers of TensorFlow 1: what variables begin with, and ops that give it to them."""

from placewise.graph.collections import tables_initializer as tables_initializer
from placewise.graph.initializers import he_normal as he_normal
from placewise.graph.initializers import he_uniform as he_uniform
from placewise.graph.initializers import lecun_normal as lecun_normal
from placewise.graph.initializers import lecun_uniform as lecun_uniform
