"""tf.experimental.numpy.random: random numbers as NumPy's older functions give them."""

from placewise.numpy_api.random_numbers import poisson as poisson
from placewise.numpy_api.random_numbers import rand as rand
from placewise.numpy_api.random_numbers import randint as randint
from placewise.numpy_api.random_numbers import randn as randn
from placewise.numpy_api.random_numbers import random as random
from placewise.numpy_api.random_numbers import seed as seed
from placewise.numpy_api.random_numbers import standard_normal as standard_normal
from placewise.numpy_api.random_numbers import uniform as uniform
