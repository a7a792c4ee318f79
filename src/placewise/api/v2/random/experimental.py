"""tf.random.experimental: generators and further stateless functions."""

from placewise.ops.random.generator import Generator as Generator
from placewise.ops.random.generator import create_rng_state as create_rng_state
from placewise.ops.random.generator import get_global_generator as get_global_generator
from placewise.ops.random.generator import set_global_generator as set_global_generator
from placewise.ops.random.index_shuffle import index_shuffle as index_shuffle
from placewise.ops.random.shuffle import stateless_shuffle as stateless_shuffle
from placewise.ops.random.stateless import Algorithm as Algorithm
from placewise.ops.random.stateless import stateless_fold_in as stateless_fold_in
from placewise.ops.random.stateless import stateless_split as stateless_split
