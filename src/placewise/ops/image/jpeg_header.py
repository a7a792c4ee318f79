"""What the markers of a JPEG file say: its size and number of components.

Only ordinary files are understood; for any other `read` returns None, and Pillow's parser, which is
slower and knows every kind, decides.
"""

from __future__ import annotations

# Start of a frame: baseline, extended and progressive, all with Huffman codes.
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
_SCAN = 0xDA
# Tables, restart interval, application data and comments: skipped.
_SKIPPED = frozenset({0xC4, 0xDB, 0xDD, 0xFE, *range(0xE0, 0xF0)})


def read(data: bytes) -> tuple[int, int, int] | None:
    """Return height, width and components of a file of 8 bits, None for one out of the ordinary."""
    if data[:2] != b"\xff\xd8":
        return None
    place, end = 2, len(data)
    frame: tuple[int, int, int] | None = None
    while place + 4 <= end:
        marker = data[place + 1]
        size = data[place + 2] << 8 | data[place + 3]
        if data[place] != 0xFF or size < 2 or place + 2 + size > end:
            return None
        if marker == _SCAN:
            return frame
        if marker in _FRAMES:
            # precision (1 byte), height, width (2 each), components (1), 3 bytes for each of them
            if frame is not None or size < 8 or data[place + 4] != 8:
                return None
            height = data[place + 5] << 8 | data[place + 6]
            width = data[place + 7] << 8 | data[place + 8]
            frame = height, width, data[place + 9]
            if not height or not width or size != 8 + 3 * frame[2]:
                return None
        elif marker not in _SKIPPED:
            return None
        place += 2 + size
    return None
