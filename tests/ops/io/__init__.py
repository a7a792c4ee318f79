"""Tests of the ops on files, examples and records."""
