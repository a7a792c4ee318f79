"""tf.contrib.quantize: graphs of TensorFlow 1 that train, and run, as if they were quantized."""
