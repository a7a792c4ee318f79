"""tf.train of TensorFlow 1: optimizers, decaying rates, moving averages, queues' threads."""

from placewise.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from placewise.training.adagrad import AdagradOptimizer as AdagradOptimizer
from placewise.training.adagrad_da import AdagradDAOptimizer as AdagradDAOptimizer
from placewise.training.adam import AdamOptimizer as AdamOptimizer
from placewise.training.batching import batch as batch
from placewise.training.batching import batch_join as batch_join
from placewise.training.batching import maybe_batch as maybe_batch
from placewise.training.batching import maybe_batch_join as maybe_batch_join
from placewise.training.batching import maybe_shuffle_batch as maybe_shuffle_batch
from placewise.training.batching import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from placewise.training.batching import shuffle_batch as shuffle_batch
from placewise.training.batching import shuffle_batch_join as shuffle_batch_join
from placewise.training.coordinator import Coordinator as Coordinator
from placewise.training.coordinator import LooperThread as LooperThread
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
from placewise.training.device_setter import replica_device_setter as replica_device_setter
from placewise.training.ftrl import FtrlOptimizer as FtrlOptimizer
from placewise.training.global_step import assert_global_step as assert_global_step
from placewise.training.global_step import create_global_step as create_global_step
from placewise.training.global_step import get_global_step as get_global_step
from placewise.training.global_step import get_or_create_global_step as get_or_create_global_step
from placewise.training.global_step import global_step as global_step
from placewise.training.gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
from placewise.training.input_producers import input_producer as input_producer
from placewise.training.input_producers import limit_epochs as limit_epochs
from placewise.training.input_producers import match_filenames_once as match_filenames_once
from placewise.training.input_producers import range_input_producer as range_input_producer
from placewise.training.input_producers import slice_input_producer as slice_input_producer
from placewise.training.input_producers import string_input_producer as string_input_producer
from placewise.training.momentum import MomentumOptimizer as MomentumOptimizer
from placewise.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from placewise.training.optimizer import Optimizer as Optimizer
from placewise.training.proximal import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from placewise.training.proximal import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from placewise.training.queue_runner import QueueRunner as QueueRunner
from placewise.training.queue_runner import add_queue_runner as add_queue_runner
from placewise.training.queue_runner import start_queue_runners as start_queue_runners
from placewise.training.rmsprop import RMSPropOptimizer as RMSPropOptimizer
