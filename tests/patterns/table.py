"""The patterns, by name; each takes the module `tf` and a folder, and returns what it found."""

import re

import numpy as np

PATTERNS = {}


def pattern(function):
    """Add a function to the table."""
    PATTERNS[function.__name__] = function
    return function


def plain(value):
    """Return a result as JSON."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(np.float32(value))
    if isinstance(value, dict):
        return {str(key): plain(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, (np.ndarray, np.generic)):
        return {"dtype": str(value.dtype), "value": plain(value.tolist())}
    if hasattr(value, "numpy"):
        return plain(value.numpy())
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


def answer(tf, name, folder):
    """Run one pattern in a default graph of its own; an error is its class and first line."""
    tf.compat.v1.reset_default_graph()
    try:
        return plain(PATTERNS[name](tf, str(folder)))
    except Exception as problem:
        return {"error": type(problem).__name__, "text": str(problem).split("\n")[0]}
