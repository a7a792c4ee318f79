"""Tests of the ops on ragged tensors."""
