"""Sample calls of each op, one file a topic: `SAMPLES` maps an op name to its samples."""
