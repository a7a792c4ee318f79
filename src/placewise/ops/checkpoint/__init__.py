"""Checkpoints in TensorFlow's formats: sorted tables, bundles, tensor slices, and their ops."""
