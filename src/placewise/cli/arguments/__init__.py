"""The arguments of each command, a file a command; nothing here loads what a command needs."""
