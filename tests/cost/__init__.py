"""Tests of costs."""
