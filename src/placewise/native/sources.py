"""Which sources a binary is of: a checksum that the compiler writes into it.

Only the standard library is used: the build runs this file before anything is installed.
"""

from __future__ import annotations

import zlib
from pathlib import Path


def sources(folder: Path) -> list[Path]:
    """Return the C files of the extension, in order."""
    return sorted(folder.glob("*.c"))


def fingerprint(folder: Path) -> int:
    """Return the checksum of the C files and headers."""
    checksum = 0
    for path in (*sources(folder), *sorted(folder.glob("*.h"))):
        checksum = zlib.crc32(path.read_bytes(), checksum)
    return checksum
