"""`placewise run --cluster`."""
