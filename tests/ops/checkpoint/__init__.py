"""Tests of the checkpoint formats."""
