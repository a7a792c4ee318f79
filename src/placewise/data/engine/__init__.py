"""What datasets are when they run: Python objects that give element after element."""
