"""Names of tf.contrib.opt."""

from placewise.contrib.opt.adams import LazyAdamOptimizer as LazyAdamOptimizer
from placewise.contrib.opt.adams import NadamOptimizer as NadamOptimizer
from placewise.contrib.opt.decayed import AdamWOptimizer as AdamWOptimizer
from placewise.contrib.opt.decayed import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from placewise.contrib.opt.decayed import MomentumWOptimizer as MomentumWOptimizer
from placewise.contrib.opt.decayed import MovingAverageOptimizer as MovingAverageOptimizer
from placewise.contrib.opt.decayed import clip_gradients_by_global_norm as clip_gradients_by_global_norm
