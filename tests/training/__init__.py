"""Tests of training, against recorded answers of TensorFlow 1.15."""
