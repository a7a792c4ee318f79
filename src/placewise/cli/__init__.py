"""The command line: one file per command; `main.py` reads the arguments and calls it."""
