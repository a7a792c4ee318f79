"""Names of tf.contrib.tensorboard.plugins."""

from placewise.contrib.tensorboard.plugins import projector as projector
