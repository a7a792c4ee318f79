"""Sizes as the tables of the command line show them."""

from __future__ import annotations

KIB = 1024
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
NONE = "-"  # what stands where there is nothing to show


def to_size(size_bytes: int) -> str:
    """Return a number of bytes as a person reads it.

    >>> to_size(512), to_size(5 << 30), to_size(1536 << 20)
    ('512 B', '5 GiB', '1.5 GiB')
    """
    size, unit = float(size_bytes), 0
    while size >= KIB and unit < len(_UNITS) - 1:
        size, unit = size / KIB, unit + 1
    return f"{size:.1f}".removesuffix(".0") + " " + _UNITS[unit]
