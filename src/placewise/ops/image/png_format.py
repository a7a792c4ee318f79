"""PNG files as bytes: pixels out of them and into them, exactly, with 8 and 16 bits.

Pillow's decompressor undoes the rows' filters where a pixel has at most four bytes; for wider
pixels it is done here.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from placewise.core.errors import InvalidArgumentError, invalid

Array = np.ndarray[Any, Any]
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


class _File(NamedTuple):
    """What the chunks of a file say."""

    width: int
    height: int
    depth: int
    color: int
    interlaced: bool
    palette: bytes
    transparency: bytes | None
    data: bytes


def _bad(data: bytes) -> InvalidArgumentError:
    return invalid(f"Invalid PNG data, size {len(data)}")


def _read(data: bytes) -> _File:
    head = None
    palette, transparency, parts = b"", None, []
    place = len(SIGNATURE)
    while place + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, place)
        kind = data[place + 4 : place + 8]
        body = data[place + 8 : place + 8 + size]
        check = data[place + 8 + size : place + 12 + size]
        is_critical = kind[:1].isupper()
        if len(check) < 4:
            raise _bad(data)
        if is_critical and struct.unpack(">I", check)[0] != zlib.crc32(kind + body):
            raise _bad(data)
        if kind == b"IHDR" and size == 13:
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"tRNS":
            transparency = body
        elif kind == b"IDAT":
            parts.append(body)
        elif kind == b"IEND":
            break
        place += 12 + size
    if head is None or not parts:
        raise _bad(data)
    width, height, depth, color, compression, filters, interlace = head
    if depth not in _DEPTHS.get(color, ()) or compression or filters or interlace > 1:
        raise _bad(data)
    if not width or not height or (color == 3 and not palette):
        raise _bad(data)
    if width * height >= 2**29 or max(width, height) >= 2**27:
        raise invalid(f"PNG size too large for int: {width} by {height}")
    packed = b"".join(parts)
    return _File(width, height, depth, color, bool(interlace), palette, transparency, packed)


# Bit depth and colour type → Pillow's mode and how it unpacks rows; two bytes pass as two channels.
_UNPACKED = {
    (1, 0): ("1", "1"),
    (2, 0): ("L", "L;2"),
    (4, 0): ("L", "L;4"),
    (8, 0): ("L", "L"),
    (16, 0): ("LA", "LA"),
    (8, 2): ("RGB", "RGB"),
    (1, 3): ("P", "P;1"),
    (2, 3): ("P", "P;2"),
    (4, 3): ("P", "P;4"),
    (8, 3): ("P", "P"),
    (8, 4): ("LA", "LA"),
    (16, 4): ("RGBA", "RGBA"),
    (8, 6): ("RGBA", "RGBA"),
}


def _samples(file: _File, data: bytes) -> Array:
    """Return the stored samples, [height, width, channels]; grey of few bits is spread to 8."""
    size = (file.width, file.height)
    unpacked = _UNPACKED.get((file.depth, file.color))
    if unpacked is None:
        return _wide_samples(file, data)

    mode, raw = unpacked
    try:
        image = Image.frombytes(mode, size, file.data, "zip", raw, file.interlaced)
    except (ValueError, OSError, SyntaxError, MemoryError):
        raise _bad(data) from None
    pixels = np.asarray(image)
    if mode == "1":
        return pixels.astype(np.uint8)[:, :, None] * np.uint8(255)
    if file.depth == 16:
        count = _CHANNELS[file.color]
        return pixels.reshape(file.height, -1).view(">u2").reshape(*size[::-1], count).astype("=u2")
    return pixels.reshape(file.height, file.width, -1)


_PASSES = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)


def _wide_samples(file: _File, data: bytes) -> Array:
    """Return 16-bit samples of three or four channels."""
    count = _CHANNELS[file.color]
    bytes_of = 2 * count
    grids = _PASSES if file.interlaced else ((0, 0, 1, 1),)
    shapes = [
        (max(-(-(file.height - y) // dy), 0), max(-(-(file.width - x) // dx), 0))
        for y, x, dy, dx in grids
    ]
    total = sum(rows * (1 + columns * bytes_of) for rows, columns in shapes if columns)
    try:
        stream = zlib.decompressobj().decompress(file.data, total)
    except zlib.error:
        raise _bad(data) from None
    if len(stream) < total:
        raise _bad(data)
    result = np.zeros((file.height, file.width, count), np.uint16)
    place = 0
    for (y, x, dy, dx), (rows, columns) in zip(grids, shapes, strict=True):
        if not rows or not columns:
            continue
        length = rows * (1 + columns * bytes_of)
        lines = np.frombuffer(stream, np.uint8, length, place).reshape(rows, -1)
        place += length
        if lines[:, 0].max() > 4:
            raise _bad(data)
        plain = _unfiltered(lines[:, 0], lines[:, 1:].reshape(rows, columns, bytes_of))
        result[y::dy, x::dx] = plain.reshape(rows, -1).view(">u2").reshape(rows, columns, count)
    return result


def _unfiltered(kinds: Array, lines: Array) -> Array:
    """Undo the filters of rows [rows, columns, bytes].

    A pixel needs its left, upper and upper left neighbours, so all pixels of one diagonal can be
    computed together.
    """
    rows, columns, width = lines.shape
    # Row and column 0 are the zeros around the image.
    done = np.zeros((rows + 1, columns + 1, width), np.int16)
    for diagonal in range(rows + columns - 1):
        y = np.arange(max(0, diagonal - columns + 1), min(rows, diagonal + 1))
        x = diagonal - y
        left, up, corner = done[y + 1, x], done[y, x + 1], done[y, x]
        kind = kinds[y][:, None]
        guess = left + up - corner
        off_left, off_up = np.abs(guess - left), np.abs(guess - up)
        off_corner = np.abs(guess - corner)
        paeth = np.where(
            (off_left <= off_up) & (off_left <= off_corner),
            left,
            np.where(off_up <= off_corner, up, corner),
        )
        predicted = np.choose(kind, [np.zeros_like(left), left, up, (left + up) >> 1, paeth])
        done[y + 1, x + 1] = (lines[y, x] + predicted) & 255
    return done[1:, 1:].astype(np.uint8)


def _alpha(file: _File, samples: Array, full: int) -> Array:
    """Return the alpha channel that the file's transparent colour means."""
    if file.color == 3:
        table = np.full(256, 255, np.uint8)
        given = np.frombuffer(file.transparency or b"", np.uint8)[:256]
        table[: len(given)] = given
        return table[samples]
    count = _CHANNELS[file.color]
    if file.transparency is None or len(file.transparency) < 2 * count:
        return np.full((*samples.shape[:2], 1), full, samples.dtype)
    color = np.frombuffer(file.transparency, ">u2", count).astype(np.int64)
    if file.depth < 8:
        color = color * (255 // ((1 << file.depth) - 1))
    top = 65535 if file.depth == 16 else 255
    is_clear = (samples == color).all(-1, keepdims=True)
    return np.where(is_clear, 0, top).astype(samples.dtype)


def _grey(samples: Array) -> Array:
    """Return the brightness of colours, as libpng computes it."""
    weights = np.array([9798, 19235, 3735], np.int64)
    colors = samples[..., :3].astype(np.int64)
    total = colors @ weights
    if samples.dtype == np.uint16:
        total += 16384
    flat = (colors[..., 0] == colors[..., 1]) & (colors[..., 0] == colors[..., 2])
    return np.where(flat, colors[..., 0], total >> 15).astype(samples.dtype)[..., None]


def decode(data: bytes, channels: int, wide: bool) -> Array:
    """Return the pixels of a file, [height, width, channels], of 8 bits or, if `wide`, 16.

    `channels` 0 means those of the file; else 1, 3 or 4.
    """
    file = _read(data)
    samples = _samples(file, data)
    has_clear = file.transparency is not None
    if not channels:
        channels = (4 if has_clear else 3) if file.color == 3 else _CHANNELS[file.color]
    alpha = None
    if channels in (2, 4):
        if file.color in (4, 6):
            alpha = samples[..., -1:]
        elif has_clear:
            alpha = _alpha(file, samples, 0)
        else:  # libpng fills in the top of the file's own depth, also below 8 bits
            alpha = np.full((*samples.shape[:2], 1), (1 << file.depth) - 1, samples.dtype)
    if file.color == 3:
        table = np.zeros((256, 3), np.uint8)
        given = np.frombuffer(file.palette[: len(file.palette) // 3 * 3][:768], np.uint8)
        table[: len(given) // 3] = given.reshape(-1, 3)
        colors = table[samples[..., 0]]
    else:
        colors = samples[..., :3] if file.color in (2, 6) else samples[..., :1]
    if channels < 3 and colors.shape[-1] == 3:
        colors = _grey(colors)
    elif channels >= 3 and colors.shape[-1] == 1:
        colors = np.repeat(colors, 3, -1)
    pixels = colors if alpha is None else np.concatenate([colors, alpha], -1)
    if not wide and pixels.dtype == np.uint16:
        return (pixels >> 8).astype(np.uint8)
    if wide and pixels.dtype == np.uint8:
        return pixels.astype(np.uint16) * np.uint16(257)
    return np.ascontiguousarray(pixels)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode(pixels: Array, compression: int) -> bytes:
    """Return an image [height, width, 1 to 4 channels] of 8 or 16 bits as a file."""
    height, width, channels = pixels.shape
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    depth = 8 * pixels.dtype.itemsize
    rows = np.frombuffer(
        np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">")).tobytes(), np.uint8
    ).reshape(height, -1)
    # Each row as the difference to the one above.
    lines = np.empty((height, rows.shape[1] + 1), np.uint8)
    lines[:, 0] = 2
    lines[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=lines[1:, 1:])
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), compression)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")
