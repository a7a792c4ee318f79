"""Attacks on the package: malformed calls and files, kills, threads, interrupts, long runs.

`make test` runs a bounded part (the `test_*.py` files); `make hardening` runs all of it and prints
a table (`tests/hardening/run.py`).
"""
