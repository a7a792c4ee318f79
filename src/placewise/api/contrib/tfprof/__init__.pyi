"""Names of tf.contrib.tfprof."""

from placewise.profiler.model import model_analyzer as model_analyzer
