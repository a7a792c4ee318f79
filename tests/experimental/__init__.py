"""Tests of tf.experimental."""
