"""Arithmetic, comparison, special functions, reductions: ops on numbers."""
