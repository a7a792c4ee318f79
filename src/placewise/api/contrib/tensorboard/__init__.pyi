"""Names of tf.contrib.tensorboard."""

from placewise.api.contrib.tensorboard import plugins as plugins
