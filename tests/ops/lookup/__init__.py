"""Tests of the ops on lookup tensors."""
