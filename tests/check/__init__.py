"""Tests of `placewise.check`."""
