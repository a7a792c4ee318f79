"""tf.train of TensorFlow 2: examples, moving averages, coordinators."""

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
from placewise.training.coordinator import Coordinator as Coordinator
from placewise.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
