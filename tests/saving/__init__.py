"""Tests of checkpoints, savers, meta graphs and saved models."""
