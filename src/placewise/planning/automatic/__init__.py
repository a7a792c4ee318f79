"""Automatic placement of a graph: its operations as tasks, and the devices they get."""
