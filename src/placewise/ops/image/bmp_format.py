"""BMP files as bytes: uncompressed pixels of 8, 24 or 32 bits."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from placewise.core.errors import invalid


def decode(data: bytes, channels: int) -> np.ndarray[Any, Any]:
    """Return the pixels of a file, [height, width, channels]; `channels` 0 means the file's."""
    if channels not in (0, 3, 4):
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if len(data) < 32:
        raise invalid(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, "
            f"height, and bpp, got {len(data)} bytes"
        )
    (header,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    (bits,) = struct.unpack_from("<h", data, 28)
    if header < 0:
        raise invalid("header size must be nonnegative")
    if width <= 0:
        raise invalid("Width must be positive")
    if height == 0:
        raise invalid("Height must be nonzero")
    rows = abs(height)
    stored = bits // 8
    if width * max(stored, channels) * rows >= 2**30 or width * rows >= 2**30:
        raise invalid("Total possible pixel bytes must be less than 2^30")
    if stored not in (1, 3, 4):
        raise invalid(f"Number of channels inherent in the image must be 1, 3 or 4, was {stored}")
    row_bytes = (stored * width + 3) // 4 * 4
    difference = len(data) - header - row_bytes * rows
    if difference:
        raise invalid(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{difference}"
        )
    lines = np.frombuffer(data, np.uint8, row_bytes * rows, header).reshape(rows, row_bytes)
    pixels = lines[:, : stored * width].reshape(rows, width, stored)
    if height > 0:  # the lowest row comes first
        pixels = pixels[::-1]
    if stored > 1:
        pixels = pixels[..., [2, 1, 0, 3][:stored]]
    return np.ascontiguousarray(_fitted(pixels, channels or stored))


def _fitted(pixels: np.ndarray[Any, Any], channels: int) -> np.ndarray[Any, Any]:
    if pixels.shape[-1] == 1 and channels > 1:
        pixels = np.repeat(pixels, 3, -1)
    if channels == 4 and pixels.shape[-1] == 3:
        full = np.full((*pixels.shape[:2], 1), 255, np.uint8)
        return np.concatenate([pixels, full], -1)
    return pixels[..., :channels]
