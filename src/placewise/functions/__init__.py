"""`tf.function`: Python traced into graphs, once for each kind of arguments, and run as plans."""
