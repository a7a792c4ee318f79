"""Tests of `ops/array`."""
