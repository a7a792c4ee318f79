"""Tests of layers, losses, metrics and recurrent networks, with TensorFlow's recorded answers."""
