"""NumPy's functions on tensors: what `tf.experimental.numpy` lists."""
