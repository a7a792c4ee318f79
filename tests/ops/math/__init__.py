"""Tests of the ops on numbers."""
