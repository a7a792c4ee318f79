"""Tests of the device model."""
