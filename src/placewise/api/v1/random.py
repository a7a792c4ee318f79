"""tf.random of TensorFlow 1: random numbers and seeds."""

# ruff: noqa: F401 - names of a table, some under other names than at their source

from placewise.api.v2.random import experimental as experimental
from placewise.graph.random_values import random_normal as normal
from placewise.graph.random_values import random_uniform as uniform
from placewise.graph.random_values import truncated_normal as truncated_normal
from placewise.graph.seeds import get_seed as get_seed
from placewise.graph.seeds import set_random_seed as set_random_seed
from placewise.ops.nn.candidates import all_candidate_sampler as all_candidate_sampler
from placewise.ops.nn.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from placewise.ops.nn.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from placewise.ops.nn.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from placewise.ops.nn.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from placewise.ops.random.categorical import categorical as categorical
from placewise.ops.random.categorical import stateless_categorical as stateless_categorical
from placewise.ops.random.gamma import gamma as gamma
from placewise.ops.random.shuffle import shuffle as shuffle
from placewise.ops.random.stateless import stateless_normal as stateless_normal
from placewise.ops.random.stateless import stateless_truncated_normal as stateless_truncated_normal
from placewise.ops.random.stateless import stateless_uniform as stateless_uniform
from placewise.tf1.ops_random import multinomial as multinomial
from placewise.tf1.ops_random import random_poisson as poisson
from placewise.tf1.ops_random import stateless_multinomial as stateless_multinomial
