"""tf.initializers of TensorFlow 1: what variables begin with, and ops that give it to them."""

# ruff: noqa: F401, N813 - names of a table, under other names than at their source

from placewise.graph.collections import global_variables_initializer as global_variables
from placewise.graph.collections import local_variables_initializer as local_variables
from placewise.graph.collections import tables_initializer as tables_initializer
from placewise.graph.collections import variables_initializer as variables
from placewise.graph.initializers import Constant as constant
from placewise.graph.initializers import GlorotNormal as glorot_normal
from placewise.graph.initializers import GlorotUniform as glorot_uniform
from placewise.graph.initializers import Identity as identity
from placewise.graph.initializers import Ones as ones
from placewise.graph.initializers import Orthogonal as orthogonal
from placewise.graph.initializers import RandomNormal as random_normal
from placewise.graph.initializers import RandomUniform as random_uniform
from placewise.graph.initializers import TruncatedNormal as truncated_normal
from placewise.graph.initializers import UniformUnitScaling as uniform_unit_scaling
from placewise.graph.initializers import VarianceScaling as variance_scaling
from placewise.graph.initializers import Zeros as zeros
from placewise.graph.initializers import he_normal as he_normal
from placewise.graph.initializers import he_uniform as he_uniform
from placewise.graph.initializers import lecun_normal as lecun_normal
from placewise.graph.initializers import lecun_uniform as lecun_uniform
