"""Devices of other tasks in eager programs."""
