"""The parameters, float operations, time and memory of a graph's parts: `tf.profiler` of TF1."""
