"""tf.experimental.numpy.random: random numbers as NumPy's older functions give them."""

from placewise.experimental.numpy.drawing import poisson as poisson
from placewise.experimental.numpy.drawing import rand as rand
from placewise.experimental.numpy.drawing import randint as randint
from placewise.experimental.numpy.drawing import randn as randn
from placewise.experimental.numpy.drawing import random as random
from placewise.experimental.numpy.drawing import seed as seed
from placewise.experimental.numpy.drawing import standard_normal as standard_normal
from placewise.experimental.numpy.drawing import uniform as uniform
