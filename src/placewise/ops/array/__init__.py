"""Ops on the arrangement of elements: shapes, slices, joins, gathers."""
