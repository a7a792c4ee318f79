"""tf.autodiff: gradients of what was computed."""

from placewise.autodiff.forward import ForwardAccumulator as ForwardAccumulator
from placewise.autodiff.gradient_tape import GradientTape as GradientTape
