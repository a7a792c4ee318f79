"""Numbers of bytes as text."""

from __future__ import annotations


def size_text(nbytes: int) -> str:
    """Return a number of bytes as TensorFlow's logs print it: 768B, 256.0KiB, 1.00MiB."""
    if nbytes < 1024:
        return f"{nbytes}B"
    value, unit, digits = nbytes / 1024, "KiB", 1
    for larger in ("MiB", "GiB", "TiB", "PiB", "EiB"):
        # Whole units decide: the next one is taken when there are 1024 of this.
        if int(value) < 1024:
            break
        value, unit, digits = int(value) / 1024, larger, 2
    return f"{value:.{digits}f}{unit}"
