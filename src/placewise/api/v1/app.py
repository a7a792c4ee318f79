"""tf.app of TensorFlow 1: a program's `main`, with its flags read."""

from placewise.api.v1 import flags as flags
from placewise.tf1.app import run as run
