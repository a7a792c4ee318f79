"""Checkpoints, meta graphs and saved models: what outlives a program."""
