"""Functions that one process serves and others call, by name (`tf.distribute.experimental.rpc`)."""
