"""Scalars and small arrays that a plan computes with NumPy instead of torch."""
