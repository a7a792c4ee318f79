"""Names of tf.contrib.tensorboard.plugins."""

from placewise.api.contrib.tensorboard.plugins import projector as projector
