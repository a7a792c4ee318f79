"""Tests of the ops on images."""
