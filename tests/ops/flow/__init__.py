"""Tests of `ops/flow`."""
