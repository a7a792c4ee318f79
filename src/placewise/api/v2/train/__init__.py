"""tf.train of TensorFlow 2: examples, moving averages, coordinators."""

from placewise.api.v2.train import experimental as experimental
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
from placewise.messages import SequenceExample as SequenceExample
from placewise.messages import ServerDef as ServerDef
from placewise.saving.checkpoint import Checkpoint as Checkpoint
from placewise.saving.checkpoint import CheckpointOptions as CheckpointOptions
from placewise.saving.checkpoint_manager import CheckpointManager as CheckpointManager
from placewise.saving.checkpoint_state import checkpoints_iterator as checkpoints_iterator
from placewise.saving.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from placewise.saving.checkpoint_state import latest_checkpoint as latest_checkpoint
from placewise.saving.reader import list_variables as list_variables
from placewise.saving.reader import load_checkpoint as load_checkpoint
from placewise.saving.reader import load_variable as load_variable
from placewise.saving.trackable_view import TrackableView as TrackableView
from placewise.training.cluster import ClusterSpec as ClusterSpec
from placewise.training.coordinator import Coordinator as Coordinator
from placewise.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
