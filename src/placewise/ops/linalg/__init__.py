"""Matrices: products, factorisations, solvers."""
