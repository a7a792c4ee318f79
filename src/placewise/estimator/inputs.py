"""tf.estimator.inputs: input functions over arrays and frames."""

from placewise.estimator.numpy_inputs import numpy_input_fn as numpy_input_fn
from placewise.estimator.numpy_inputs import pandas_input_fn as pandas_input_fn
