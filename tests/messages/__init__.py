"""Tests of placewise.messages."""
