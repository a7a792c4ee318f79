"""Ops that read image files: PNG, GIF, BMP, WebP, JPEG, or whichever it is.

As in TensorFlow, most of them take the other formats too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import DType, as_dtype, float32, uint8, uint16
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.families import bracketed
from placewise.ops.image import bmp_format, gif_format, jpeg_format, png_format
from placewise.ops.image.conversion import convert_image_dtype
from placewise.ops.values import from_numpy

_NAMES = {"png": "PNG", "jpeg": "JPEG", "gif": "GIF", "bmp": "BMP", "webp": "WebP"}


def kind_of(data: bytes) -> str:
    """Return which format a file has; InvalidArgumentError if none that is known."""
    if not data:
        raise invalid("Input is empty.")
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith(png_format.SIGNATURE):
        return "png"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data.startswith(b"BM"):
        return "bmp"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if data.startswith((b"\xff\x0a", b"\x00\x00\x00\x0cJXL ")):
        raise UnimplementedError(None, None, "JPEG XL files cannot be decoded: Pillow cannot")
    raise invalid("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")


def the_bytes(contents: Any) -> bytes:
    """Return the one file of a scalar string."""
    if contents.ndim:
        raise invalid(f"`contents` must be scalar but got shape{bracketed(contents.shape)}")
    data: bytes = contents[()]
    return data


def decoded(
    contents: np.ndarray[Any, Any],
    op_name: str,
    channels: int,
    dtype: DType = uint8,
    expands: bool = True,
) -> Any:
    """Return the picture or pictures of a file, as the op called `op_name` gives them."""
    data = the_bytes(contents)
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    kind = kind_of(data)
    _check_op(kind, op_name)
    if kind == "png":
        pixels = png_format.decode(data, channels, dtype is not uint8)
    elif kind == "jpeg":
        if channels == 4:
            raise invalid("JPEG does not support 4 channels")
        pixels = jpeg_format.decode(data, channels, 1, False)
    elif kind == "bmp":
        pixels = bmp_format.decode(data, channels)
    elif kind == "webp":
        pixels = jpeg_format.decode_webp(data, channels, not expands)
        pixels = pixels if expands else pixels[0]
    else:
        pixels = _of_gif(data, op_name, channels, expands)
    if op_name == "DecodeGif" and pixels.ndim == 3:
        pixels = pixels[None]
    return from_numpy(_scaled(pixels, dtype))


def _check_op(kind: str, op_name: str) -> None:
    if kind == "bmp" and op_name not in ("DecodeBmp", "DecodeImage"):
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {op_name}"
        )
    if op_name == "DecodeBmp" and kind in ("png", "jpeg", "gif"):
        raise invalid(
            f"Trying to decode {_NAMES[kind]} format using DecodeBmp op. Use `decode_{kind}` or "
            "`decode_image` instead."
        )
    if kind == "gif" and op_name in ("DecodeWebP", "DecodeJxl"):
        raise invalid(f"Bad op type {op_name}")


def _of_gif(data: bytes, op_name: str, channels: int, expands: bool) -> Any:
    if channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    frames = gif_format.decode(data, not expands)
    if op_name in ("DecodePng", "DecodeJpeg"):
        if len(frames) > 1:
            raise invalid(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                "tf.io.decode_gif or tf.io.decode_image"
            )
        return frames[0]
    return frames if expands else frames[0]


def _scaled(pixels: Any, dtype: DType) -> Any:
    """Return pixels in the dtype asked for; white stays white, as a float 1."""
    if dtype is uint16 and pixels.dtype == np.uint8:
        return pixels.astype(np.uint16) * np.uint16(256)
    if dtype is float32:
        top = np.float32(65535 if pixels.dtype == np.uint16 else 255)
        return pixels.astype(np.float32) * (np.float32(1) / top)
    return pixels


def _dims(channels: int, *heads: int | None) -> Dims:
    return (*heads, None, None, channels or None)


def _check_scalar(contents: Static) -> None:
    if contents.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(contents.shape)}")


def _check_dtype(dtype: DType, allowed: tuple[DType, ...], names: str) -> None:
    if dtype not in allowed:
        raise invalid(
            f"Value for attr 'dtype' of {dtype.name} is not in the list of allowed values: {names}"
        )


@op(
    "DecodePng(contents: string; channels: int = 0, dtype: type = uint8) -> image: dtype",
    devices=("CPU",),
    differentiable=False,
    dtype=frozenset({uint8, uint16}),
)
def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Any:
    """Return the pixels of a PNG file, [height, width, channels], as uint8 or uint16.

    `channels`: 0 as in the file, 1 grey, 3 RGB, 4 RGBA.
    """
    dtype = uint8 if dtype is None else dtype
    return decode_png.bind(contents, channels=channels, dtype=dtype or uint8, name=name)


@decode_png.shape
def decode_png_shape(contents: Static, *, channels: int, dtype: DType) -> Dims:
    _check_scalar(contents)
    return _dims(channels)


@decode_png.kernel
def decode_png_kernel(contents: np.ndarray[Any, Any], *, channels: int, dtype: DType) -> Any:
    _check_dtype(dtype, (uint8, uint16), "uint8, uint16")
    return decoded(contents, "DecodePng", channels, dtype)


@op(
    "DecodeBmp(contents: string; channels: int = 0) -> image: uint8",
    devices=("CPU",),
    differentiable=False,
)
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Any:
    """Return the pixels of a BMP file, [height, width, channels]; `channels` 0, 3 or 4."""
    return decode_bmp.bind(contents, channels=channels, name=name)


@decode_bmp.shape
def decode_bmp_shape(contents: Static, *, channels: int) -> Dims:
    _check_scalar(contents)
    return _dims(channels)


@decode_bmp.kernel
def decode_bmp_kernel(contents: np.ndarray[Any, Any], *, channels: int) -> Any:
    return decoded(contents, "DecodeBmp", channels)


@op("DecodeGif(contents: string) -> image: uint8", devices=("CPU",), differentiable=False)
def decode_gif(contents: TensorLike, name: str | None = None) -> Any:
    """Return the frames of a GIF file, [frames, height, width, 3]."""
    return decode_gif.bind(contents, name)


@decode_gif.shape
def decode_gif_shape(contents: Static) -> Dims:
    _check_scalar(contents)
    return _dims(3, None)


@decode_gif.kernel
def decode_gif_kernel(contents: np.ndarray[Any, Any]) -> Any:
    return decoded(contents, "DecodeGif", 3)


@op(
    "DecodeWebP(contents: string; channels: int = 0, dtype: type = uint8) -> image: dtype",
    devices=("CPU",),
    differentiable=False,
    dtype=frozenset({uint8}),
)
def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Any:
    """Return the frames of a WebP file, [frames, height, width, channels]."""
    return decode_webp.bind(contents, channels=channels, dtype=dtype or uint8, name=name)


@decode_webp.shape
def decode_webp_shape(contents: Static, *, channels: int, dtype: DType) -> Dims:
    _check_scalar(contents)
    return None


@decode_webp.kernel
def decode_webp_kernel(contents: np.ndarray[Any, Any], *, channels: int, dtype: DType) -> Any:
    _check_dtype(dtype, (uint8,), "uint8")
    return decoded(contents, "DecodeWebP", channels)


@op(
    "DecodeJxl(contents: string; channels: int = 0, dtype: type = uint8) -> image: dtype",
    devices=("CPU",),
    differentiable=False,
    dtype=frozenset({uint8}),
)
def decode_jxl(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Any:
    """Return the pixels of a file; UnimplementedError if it truly is JPEG XL: no decoder here."""
    return decode_jxl.bind(contents, channels=channels, dtype=dtype or uint8, name=name)


@decode_jxl.shape
def decode_jxl_shape(contents: Static, *, channels: int, dtype: DType) -> Dims:
    _check_scalar(contents)
    return None


@decode_jxl.kernel
def decode_jxl_kernel(contents: np.ndarray[Any, Any], *, channels: int, dtype: DType) -> Any:
    _check_dtype(dtype, (uint8, uint16), "uint8, uint16")
    return decoded(contents, "DecodeJxl", channels, dtype)


@op(
    "DecodeImage(contents: string; channels: int = 0, dtype: type = uint8,"
    " expand_animations: bool = True) -> image: dtype",
    devices=("CPU",),
    differentiable=False,
    dtype=frozenset({uint8, uint16, float32}),
)
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    """Return the pixels of an image file of any format, in any dtype.

    Three dimensions; four for GIF and WebP, unless `expand_animations` is False.
    """
    dtype = as_dtype(dtype)
    read = dtype if dtype in (float32, uint8, uint16) else uint16
    image = decode_image.bind(
        convert_to_tensor(contents),
        channels=channels or 0,
        dtype=read,
        expand_animations=bool(expand_animations),
        name=name,
    )
    return image if read is dtype else convert_image_dtype(image, dtype)


@decode_image.shape
def decode_image_shape(
    contents: Static, *, channels: int, dtype: DType, expand_animations: bool
) -> Dims:
    _check_scalar(contents)
    return None if expand_animations else _dims(channels)


@decode_image.kernel
def decode_image_kernel(
    contents: np.ndarray[Any, Any], *, channels: int, dtype: DType, expand_animations: bool
) -> Any:
    _check_dtype(dtype, (uint8, uint16, float32), "uint8, uint16, float")
    return decoded(contents, "DecodeImage", channels, dtype, expand_animations)
