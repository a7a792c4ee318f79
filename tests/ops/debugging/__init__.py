"""Tests of `ops/debugging`."""
