"""Assertions and checks on values."""
