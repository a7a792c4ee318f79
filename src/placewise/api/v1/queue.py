"""tf.queue of TensorFlow 1."""

from placewise.graph.queues import FIFOQueue as FIFOQueue
from placewise.graph.queues import PaddingFIFOQueue as PaddingFIFOQueue
from placewise.graph.queues import PriorityQueue as PriorityQueue
from placewise.graph.queues import QueueBase as QueueBase
from placewise.graph.queues import RandomShuffleQueue as RandomShuffleQueue
