"""Names of tf.contrib.tensorboard."""

from placewise.contrib.tensorboard import plugins as plugins
