"""Names of tf.contrib.stateless."""

from placewise.ops.random.stateless import stateless_normal as stateless_random_normal
from placewise.ops.random.stateless import stateless_truncated_normal as stateless_truncated_normal
from placewise.ops.random.stateless import stateless_uniform as stateless_random_uniform
from placewise.tf1.ops_random import stateless_multinomial as stateless_multinomial
