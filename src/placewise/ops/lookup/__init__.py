"""Lookup tables: the ops on them and the classes of `tf.lookup`."""
