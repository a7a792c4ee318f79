"""Queues: what they hold, who waits for them, and the ops that reach them."""
