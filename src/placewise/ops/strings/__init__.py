"""Ops on strings."""
