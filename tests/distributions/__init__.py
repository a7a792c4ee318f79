"""Tests of probability distributions."""
