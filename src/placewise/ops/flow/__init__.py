"""Ops that pass values through: for order, for gradients, for shapes."""
