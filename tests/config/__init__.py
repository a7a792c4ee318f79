"""Tests of tf.config."""
