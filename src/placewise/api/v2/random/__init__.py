"""tf.random: random numbers, seeds and generators, in TensorFlow 2 spelling."""

from placewise.api.v2.random import experimental as experimental
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
from placewise.ops.random.gamma import stateless_gamma as stateless_gamma
from placewise.ops.random.generator import Generator as Generator
from placewise.ops.random.generator import create_rng_state as create_rng_state
from placewise.ops.random.generator import get_global_generator as get_global_generator
from placewise.ops.random.generator import set_global_generator as set_global_generator
from placewise.ops.random.normal import normal as normal
from placewise.ops.random.normal import truncated_normal as truncated_normal
from placewise.ops.random.parameterized import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from placewise.ops.random.poisson_binomial import poisson as poisson
from placewise.ops.random.poisson_binomial import stateless_binomial as stateless_binomial
from placewise.ops.random.poisson_binomial import stateless_poisson as stateless_poisson
from placewise.ops.random.shuffle import shuffle as shuffle
from placewise.ops.random.stateless import Algorithm as Algorithm
from placewise.ops.random.stateless import fold_in as fold_in
from placewise.ops.random.stateless import split as split
from placewise.ops.random.stateless import stateless_normal as stateless_normal
from placewise.ops.random.stateless import stateless_truncated_normal as stateless_truncated_normal
from placewise.ops.random.stateless import stateless_uniform as stateless_uniform
from placewise.ops.random.streams import set_seed as set_seed
from placewise.ops.random.uniform import uniform as uniform
