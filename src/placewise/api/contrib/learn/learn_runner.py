"""Names of tf.contrib.learn.learn_runner."""

from placewise.contrib.learn.experiments import run as run
