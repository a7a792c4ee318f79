"""`placewise top`: cards, processes and running placewise programs, live or as one frame."""
