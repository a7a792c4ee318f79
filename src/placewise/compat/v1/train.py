"""tf.train of TensorFlow 1: optimizers, decaying rates, moving averages, queues' threads."""

from placewise.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from placewise.training.adagrad import AdagradOptimizer as AdagradOptimizer
from placewise.training.adagrad_da import AdagradDAOptimizer as AdagradDAOptimizer
from placewise.training.adam import AdamOptimizer as AdamOptimizer
from placewise.training.decay import cosine_decay as cosine_decay
from placewise.training.decay import cosine_decay_restarts as cosine_decay_restarts
from placewise.training.decay import exponential_decay as exponential_decay
from placewise.training.decay import inverse_time_decay as inverse_time_decay
from placewise.training.decay import linear_cosine_decay as linear_cosine_decay
from placewise.training.decay import natural_exp_decay as natural_exp_decay
from placewise.training.decay import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from placewise.training.decay import piecewise_constant as piecewise_constant
from placewise.training.decay import piecewise_constant_decay as piecewise_constant_decay
from placewise.training.decay import polynomial_decay as polynomial_decay
from placewise.training.ftrl import FtrlOptimizer as FtrlOptimizer
from placewise.training.global_step import assert_global_step as assert_global_step
from placewise.training.global_step import create_global_step as create_global_step
from placewise.training.global_step import get_global_step as get_global_step
from placewise.training.global_step import get_or_create_global_step as get_or_create_global_step
from placewise.training.global_step import global_step as global_step
from placewise.training.gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
from placewise.training.momentum import MomentumOptimizer as MomentumOptimizer
from placewise.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from placewise.training.optimizer import Optimizer as Optimizer
from placewise.training.proximal import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from placewise.training.proximal import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from placewise.training.rmsprop import RMSPropOptimizer as RMSPropOptimizer
