"""Tests of what the documentation says: examples run, and what it names exists."""
