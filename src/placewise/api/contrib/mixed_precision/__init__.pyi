"""Names of tf.contrib.mixed_precision."""

from placewise.contrib.mixed_precision.loss_scaling import ExponentialUpdateLossScaleManager as ExponentialUpdateLossScaleManager
from placewise.contrib.mixed_precision.loss_scaling import FixedLossScaleManager as FixedLossScaleManager
from placewise.contrib.mixed_precision.loss_scaling import LossScaleManager as LossScaleManager
from placewise.contrib.mixed_precision.loss_scaling import LossScaleOptimizer as LossScaleOptimizer
