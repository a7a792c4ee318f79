"""JPEG and WebP files as bytes, by way of Pillow's decoders."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from PIL import Image, JpegImagePlugin, WebPImagePlugin

from placewise.core.errors import InvalidArgumentError, invalid
from placewise.ops.image import jpeg_header

Array = np.ndarray[Any, Any]
_FAILURES = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    struct.error,
    MemoryError,
)
_LARGEST = 2**29


def bad_jpeg() -> InvalidArgumentError:
    """Return the error for a file or a crop that cannot be."""
    return invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.")


def _opened(data: bytes) -> Any:
    # The plugin itself, as `Image.open` would warn of sizes that TensorFlow takes.

    return JpegImagePlugin.JpegImageFile(io.BytesIO(data))


def shape(data: bytes) -> tuple[int, int, int]:
    """Return height, width and number of stored channels."""
    failure = invalid(f"Invalid JPEG data, size {len(data)}")
    if not data.endswith(b"\xff\xd9"):
        raise failure
    try:
        image = _opened(data)
    except _FAILURES:
        raise failure from None
    return image.height, image.width, {"L": 1, "CMYK": 4}.get(image.mode, 3)


def decode(data: bytes, channels: int, ratio: int, recovers: bool, window: Any = None) -> Array:
    """Return the pixels of a file, [height, width, channels], reduced by `ratio`.

    `channels` is 0 (as in the file), 1 or 3. `recovers`: a file that ends early is grey from there.
    `window`: [top, left, height, width] of the part that is wanted.
    """
    if recovers and not data.endswith(b"\xff\xd9"):
        data += b"\xff\xd9"
    plain = _decoded_at_once(data, channels) if ratio == 1 and window is None else None
    if plain is not None:
        return plain
    try:
        image = _opened(data)
        if image.width * image.height >= _LARGEST:
            raise bad_jpeg()
        if image.mode == "CMYK" and channels == 1:
            raise bad_jpeg()
        wanted = channels or (1 if image.mode == "L" else 3)
        is_marked = "adobe" in image.info
        # The decoder itself reduces and leaves out colour.
        image.draft("L" if wanted == 1 else image.mode, (image.width / ratio, image.height / ratio))
        image.load()
    except _FAILURES:
        raise bad_jpeg() from None
    pixels = np.asarray(image)
    if image.mode == "CMYK":
        pixels = _without_black(pixels, is_marked)
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    if window is not None:
        pixels = _part(pixels, window)
    if wanted == 3 and pixels.shape[-1] == 1:
        pixels = np.repeat(pixels, 3, -1)
    return np.array(pixels, np.uint8)


def _decoded_at_once(data: bytes, channels: int) -> Array | None:
    """Return the pixels of an ordinary file, None for another kind and for a damaged file.

    Pillow's codecs are called without its image class, whose Python code takes as long as decoding
    a small photograph. They are what `ImageFile.load` and `Image.tobytes` call.
    """
    header = jpeg_header.read(data)
    if header is None or header[2] not in (1, 3):
        return None
    height, width, stored = header
    wanted = channels or stored
    if height * width >= _LARGEST or wanted > stored:
        return None
    mode, box = "L" if wanted == 1 else "RGB", (0, 0, width, height)
    codecs: Any = getattr(Image, "core", None)
    try:
        image = codecs.new(mode, (width, height))
        decoder = codecs.jpeg_decoder(mode, mode, "", 1, 0)
        decoder.setimage(image, box)
        # -1 and 0: the last line was reached without an error.
        if decoder.decode(data) != (-1, 0):
            return None
        encoder = codecs.raw_encoder(mode, mode, 0, 1)
        encoder.setimage(image, box)
        _, status, packed = encoder.encode(height * width * wanted)
    except (*_FAILURES, AttributeError):
        return None
    pixels = np.frombuffer(packed, np.uint8)
    if status < 0 or pixels.size != height * width * wanted:
        return None
    return pixels.reshape(height, width, wanted).copy()


def _part(pixels: Array, window: list[int]) -> Array:
    top, left, height, width = window
    fits = top + height <= pixels.shape[0] and left + width <= pixels.shape[1]
    if top < 0 or left < 0 or height <= 0 or width <= 0 or not fits:
        raise bad_jpeg()
    return pixels[top : top + height, left : left + width]


def _without_black(pixels: Array, is_marked: bool) -> Array:
    """Return CMYK as RGB; Pillow has inverted it, and files of Adobe's were inverted before."""
    stored = 255 - pixels.astype(np.int32)
    if not is_marked:
        stored = 255 - stored
    return (stored[..., :3] * stored[..., 3:] // 255).astype(np.uint8)


def encode(
    pixels: Array,
    quality: int,
    progressive: bool = False,
    optimize: bool = False,
    downsamples: bool = True,
    unit: str = "in",
    density: tuple[int, int] = (300, 300),
    xmp: bytes = b"",
) -> bytes:
    """Return an image [height, width, 1 or 3] as a file."""
    image = Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
    options: dict[str, Any] = {"xmp": xmp} if xmp else {}
    if pixels.shape[-1] == 3:
        options["subsampling"] = 2 if downsamples else 0
    # To Pillow, quality 0 means its own default.
    tables = {"quality": quality} if quality > 0 else {"quality": 1}
    file = io.BytesIO()
    try:
        image.save(
            file,
            "JPEG",
            progressive=bool(progressive),
            optimize=bool(optimize),
            **tables,
            **options,
        )
    except _FAILURES:
        raise invalid("JPEG encoding failed") from None
    data = bytearray(file.getvalue())
    if data[6:10] == b"JFIF":
        data[13:18] = struct.pack(">BHH", 2 if unit == "cm" else 1, *density)
    return bytes(data)


def decode_webp(data: bytes, channels: int, first_only: bool = False) -> Array:
    """Return the frames of a WebP file, [frames, height, width, 3 or 4]."""
    if channels not in (0, 3, 4):
        raise invalid("WebP only supports 3 or 4 channels")
    failure = invalid("Failed to decode WebP image.")
    try:
        image = WebPImagePlugin.WebPImageFile(io.BytesIO(data))
        count = getattr(image, "n_frames", 1)
        if image.width * image.height * count >= _LARGEST:
            raise failure
        # Animations always have alpha.
        mode = "RGBA" if image.mode == "RGBA" or count > 1 else "RGB"
        if channels and channels != len(mode):
            raise invalid("Number of channels requested does not match input")
        frames = []
        for number in range(1 if first_only else count):
            image.seek(number)
            frames.append(np.asarray(image.convert(mode)))
    except _FAILURES:
        raise failure from None
    return np.stack(frames)
