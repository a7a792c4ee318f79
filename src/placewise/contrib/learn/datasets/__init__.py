"""tf.contrib.learn.datasets: small data sets of files, as arrays."""
