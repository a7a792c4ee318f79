"""Tests of placewise.check.reading."""
