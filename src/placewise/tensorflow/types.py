"""The tuples of number types that `isinstance` takes, as `tf.compat` has them."""

import numbers

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
