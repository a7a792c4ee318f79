"""Devices of other tasks in eager programs: ops, variables and functions that run there."""
