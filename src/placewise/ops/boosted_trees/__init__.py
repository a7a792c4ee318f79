"""Ops of gradient boosted trees: quantiles of features, statistics of splits, and the trees.

Trees and streams live in host memory; their ops run on the CPU, as in TensorFlow.
"""
