"""Names of tf.contrib.distributions."""

from placewise.api.v1.distributions import Bernoulli as Bernoulli
from placewise.api.v1.distributions import Beta as Beta
from placewise.api.v1.distributions import Categorical as Categorical
from placewise.api.v1.distributions import Dirichlet as Dirichlet
from placewise.api.v1.distributions import DirichletMultinomial as DirichletMultinomial
from placewise.api.v1.distributions import Distribution as Distribution
from placewise.api.v1.distributions import Exponential as Exponential
from placewise.api.v1.distributions import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from placewise.api.v1.distributions import Gamma as Gamma
from placewise.api.v1.distributions import Laplace as Laplace
from placewise.api.v1.distributions import Multinomial as Multinomial
from placewise.api.v1.distributions import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from placewise.api.v1.distributions import Normal as Normal
from placewise.api.v1.distributions import RegisterKL as RegisterKL
from placewise.api.v1.distributions import ReparameterizationType as ReparameterizationType
from placewise.api.v1.distributions import StudentT as StudentT
from placewise.api.v1.distributions import Uniform as Uniform
from placewise.api.v1.distributions import kl_divergence as kl_divergence
