"""Names who stands still, and where: a thread that looks on while a program runs."""
