"""`placewise completion`: scripts for shells, written from the parser of the command line."""
