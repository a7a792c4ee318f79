"""The extension module in C, and the Python it stands in for."""
