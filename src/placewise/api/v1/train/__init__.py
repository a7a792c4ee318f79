"""tf.train of TensorFlow 1: optimizers, decaying rates, moving averages, queues' threads."""

from placewise.api.v1.train import queue_runner as queue_runner
from placewise.messages import BytesList as BytesList
from placewise.messages import ClusterDef as ClusterDef
from placewise.messages import Example as Example
from placewise.messages import Feature as Feature
from placewise.messages import FeatureList as FeatureList
from placewise.messages import FeatureLists as FeatureLists
from placewise.messages import Features as Features
from placewise.messages import FloatList as FloatList
from placewise.messages import Int64List as Int64List
from placewise.messages import JobDef as JobDef
from placewise.messages import SaverDef as SaverDef
from placewise.messages import SequenceExample as SequenceExample
from placewise.messages import ServerDef as ServerDef
from placewise.saving.checkpoint import CheckpointOptions as CheckpointOptions
from placewise.saving.checkpoint_manager import CheckpointManager as CheckpointManager
from placewise.saving.checkpoint_state import checkpoint_exists as checkpoint_exists
from placewise.saving.checkpoint_state import checkpoints_iterator as checkpoints_iterator
from placewise.saving.checkpoint_state import (
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
)
from placewise.saving.checkpoint_state import get_checkpoint_mtimes as get_checkpoint_mtimes
from placewise.saving.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from placewise.saving.checkpoint_state import latest_checkpoint as latest_checkpoint
from placewise.saving.checkpoint_state import remove_checkpoint as remove_checkpoint
from placewise.saving.checkpoint_state import update_checkpoint_state as update_checkpoint_state
from placewise.saving.checkpoint_v1 import Checkpoint as Checkpoint
from placewise.saving.init_from_checkpoint import init_from_checkpoint as init_from_checkpoint
from placewise.saving.meta_graph import export_meta_graph as export_meta_graph
from placewise.saving.meta_graph import import_meta_graph as import_meta_graph
from placewise.saving.meta_graph import write_graph as write_graph
from placewise.saving.reader import NewCheckpointReader as NewCheckpointReader
from placewise.saving.reader import list_variables as list_variables
from placewise.saving.reader import load_checkpoint as load_checkpoint
from placewise.saving.reader import load_variable as load_variable
from placewise.saving.saver import Saver as Saver
from placewise.summary.before_tf1 import SummaryWriter as SummaryWriter
from placewise.summary.file_writer import summary_iterator as summary_iterator
from placewise.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from placewise.training.adagrad import AdagradOptimizer as AdagradOptimizer
from placewise.training.adagrad_da import AdagradDAOptimizer as AdagradDAOptimizer
from placewise.training.adam import AdamOptimizer as AdamOptimizer
from placewise.training.batch_queues import batch as batch
from placewise.training.batch_queues import batch_join as batch_join
from placewise.training.batch_queues import maybe_batch as maybe_batch
from placewise.training.batch_queues import maybe_batch_join as maybe_batch_join
from placewise.training.batch_queues import maybe_shuffle_batch as maybe_shuffle_batch
from placewise.training.batch_queues import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from placewise.training.batch_queues import shuffle_batch as shuffle_batch
from placewise.training.batch_queues import shuffle_batch_join as shuffle_batch_join
from placewise.training.checkpoint_hooks import CheckpointSaverHook as CheckpointSaverHook
from placewise.training.checkpoint_hooks import CheckpointSaverListener as CheckpointSaverListener
from placewise.training.cluster import ClusterSpec as ClusterSpec
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
from placewise.training.logging_hooks import LoggingTensorHook as LoggingTensorHook
from placewise.training.logging_hooks import ProfilerHook as ProfilerHook
from placewise.training.logging_hooks import StepCounterHook as StepCounterHook
from placewise.training.logging_hooks import SummarySaverHook as SummarySaverHook
from placewise.training.momentum import MomentumOptimizer as MomentumOptimizer
from placewise.training.monitored_session import MonitoredSession as MonitoredSession
from placewise.training.monitored_session import (
    MonitoredTrainingSession as MonitoredTrainingSession,
)
from placewise.training.monitored_session import (
    SingularMonitoredSession as SingularMonitoredSession,
)
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
from placewise.training.scaffold import Scaffold as Scaffold
from placewise.training.server import Server as Server
from placewise.training.session_creators import ChiefSessionCreator as ChiefSessionCreator
from placewise.training.session_creators import SessionCreator as SessionCreator
from placewise.training.session_creators import WorkerSessionCreator as WorkerSessionCreator
from placewise.training.session_manager import SessionManager as SessionManager
from placewise.training.session_run_hook import SessionRunArgs as SessionRunArgs
from placewise.training.session_run_hook import SessionRunContext as SessionRunContext
from placewise.training.session_run_hook import SessionRunHook as SessionRunHook
from placewise.training.session_run_hook import SessionRunValues as SessionRunValues
from placewise.training.stop_hooks import FeedFnHook as FeedFnHook
from placewise.training.stop_hooks import FinalOpsHook as FinalOpsHook
from placewise.training.stop_hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from placewise.training.stop_hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from placewise.training.stop_hooks import NanTensorHook as NanTensorHook
from placewise.training.stop_hooks import StopAtStepHook as StopAtStepHook
from placewise.training.supervisor import Supervisor as Supervisor
from placewise.training.supervisor import basic_train_loop as basic_train_loop
from placewise.training.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from placewise.training.timers import SecondOrStepTimer as SecondOrStepTimer
