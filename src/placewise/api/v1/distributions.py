"""tf.distributions of TensorFlow 1: probability distributions."""

from placewise.distributions.bernoulli import Bernoulli as Bernoulli
from placewise.distributions.beta import Beta as Beta
from placewise.distributions.categorical import Categorical as Categorical
from placewise.distributions.dirichlet import Dirichlet as Dirichlet
from placewise.distributions.dirichlet_multinomial import (
    DirichletMultinomial as DirichletMultinomial,
)
from placewise.distributions.distribution import Distribution as Distribution
from placewise.distributions.gamma import Exponential as Exponential
from placewise.distributions.gamma import Gamma as Gamma
from placewise.distributions.kullback_leibler import RegisterKL as RegisterKL
from placewise.distributions.kullback_leibler import kl_divergence as kl_divergence
from placewise.distributions.laplace import Laplace as Laplace
from placewise.distributions.multinomial import Multinomial as Multinomial
from placewise.distributions.normal import Normal as Normal
from placewise.distributions.reparameterization import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
)
from placewise.distributions.reparameterization import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from placewise.distributions.reparameterization import (
    ReparameterizationType as ReparameterizationType,
)
from placewise.distributions.student_t import StudentT as StudentT
from placewise.distributions.uniform import Uniform as Uniform
