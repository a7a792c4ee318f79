"""tf.experimental.numpy.random: random numbers as NumPy's older functions give them."""

from placewise.experimental.numpy.random_numbers import poisson as poisson
from placewise.experimental.numpy.random_numbers import rand as rand
from placewise.experimental.numpy.random_numbers import randint as randint
from placewise.experimental.numpy.random_numbers import randn as randn
from placewise.experimental.numpy.random_numbers import random as random
from placewise.experimental.numpy.random_numbers import seed as seed
from placewise.experimental.numpy.random_numbers import standard_normal as standard_normal
from placewise.experimental.numpy.random_numbers import uniform as uniform
