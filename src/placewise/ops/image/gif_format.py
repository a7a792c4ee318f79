"""GIF files as bytes: their frames, laid over each other as TensorFlow does.

A frame covers the one before; what it leaves free or transparent shows that one. How long frames
last and how they are disposed of plays no part.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from placewise.core.errors import InvalidArgumentError, invalid

Array = np.ndarray[Any, Any]


class _Frame(NamedTuple):
    """One picture of the file: its place, colours and compressed indices."""

    left: int
    top: int
    width: int
    height: int
    interlaced: bool
    palette: bytes
    transparent: int
    bits: int
    data: bytes


def _bad(data: bytes, why: str) -> InvalidArgumentError:
    return invalid(f"Invalid GIF data (size {len(data)}), {why}")


class _Reader:
    """Reads the blocks of a file in order; raises IndexError at its end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        piece = self.data[self.place : self.place + count]
        if len(piece) < count:
            raise IndexError
        self.place += count
        return piece

    def blocks(self) -> bytes:
        """Return a run of sub-blocks as it stands, with its lengths and its end."""
        start = self.place
        while size := self.take(1)[0]:
            self.take(size)
        return self.data[start : self.place]

    def frames(self) -> Any:
        """Yield the frames one by one."""
        self.take(6)
        *_, flags, _, _ = struct.unpack("<HHBBB", self.take(7))
        shared = self.take(3 << ((flags & 7) + 1)) if flags & 0x80 else b""
        transparent = -1
        while True:
            kind = self.take(1)
            if kind == b";":
                return
            if kind == b"!":
                label = self.take(1)
                body = self.blocks()
                if label == b"\xf9" and len(body) >= 5:
                    transparent = body[4] if body[1] & 1 else -1
            elif kind == b",":
                left, top, width, height, flags = struct.unpack("<HHHHB", self.take(9))
                palette = self.take(3 << ((flags & 7) + 1)) if flags & 0x80 else shared
                bits = self.take(1)[0]
                yield _Frame(
                    left,
                    top,
                    width,
                    height,
                    bool(flags & 0x40),
                    palette,
                    transparent,
                    bits,
                    self.blocks(),
                )
                transparent = -1
            else:
                raise IndexError


def _indices(frame: _Frame) -> Array:
    image = Image.frombytes(
        "L", (frame.width, frame.height), frame.data, "gif", frame.bits, int(frame.interlaced)
    )
    return np.asarray(image)


def decode(data: bytes, first_only: bool = False) -> Array:
    """Return the frames of a file, [frames, height, width, 3]; of the first alone if asked."""
    if len(data) < 13:
        raise _bad(data, "failed to open gif file: No screen descriptor detected")
    frames: list[_Frame] = []
    try:
        frames.extend(_Reader(data).frames())
    except IndexError:
        if not frames:
            raise _bad(data, "failed to open gif file: No screen descriptor detected") from None
    except struct.error:
        raise _bad(data, "failed to slurp gif file") from None
    if not frames:
        raise _bad(data, "gif file does not contain any image")
    width, height = max(f.width for f in frames), max(f.height for f in frames)
    if first_only:
        frames = frames[:1]
    if width * height * len(frames) >= 2**29 or not width or not height:
        raise _bad(data, f"frames of {width} by {height} are too many or too large")
    result = np.zeros((len(frames), height, width, 3), np.uint8)
    for number, frame in enumerate(frames):
        canvas = result[number]
        if number:
            canvas[:] = result[number - 1]
        _lay(canvas, frame, data, number)
    return result


def _lay(canvas: Array, frame: _Frame, data: bytes, number: int) -> None:
    if not frame.width or not frame.height:
        return
    try:
        indices = _indices(frame)
    except (ValueError, OSError, SyntaxError, MemoryError):
        raise _bad(data, f"failed to decode frame {number}") from None
    part = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    indices = indices[: part.shape[0], : part.shape[1]]
    if not frame.palette:
        raise _bad(data, f"missing color map for frame {number}")
    palette = np.frombuffer(frame.palette, np.uint8).reshape(-1, 3)
    shown = indices != frame.transparent
    highest = int(indices[shown].max(initial=0))
    if highest >= len(palette):
        raise _bad(data, f"found color index {highest} outside of color map range {len(palette)}")
    part[shown] = palette[indices[shown]]
