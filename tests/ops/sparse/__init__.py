"""Tests of the ops on sparse tensors."""
