"""Tests of placewise.check.program."""
