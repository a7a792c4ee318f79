"""The wheel that is built of the project."""
