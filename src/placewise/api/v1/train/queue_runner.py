"""tf.train.queue_runner of TensorFlow 1: threads that fill queues."""

from placewise.training.queue_runner import QueueRunner as QueueRunner
from placewise.training.queue_runner import add_queue_runner as add_queue_runner
from placewise.training.queue_runner import start_queue_runners as start_queue_runners
