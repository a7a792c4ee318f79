"""Ops that read and write JPEG files, and PNG files out of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, DType, as_dtype, int32, uint8, uint16
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.image import jpeg_format, png_format
from placewise.ops.image.decode import decoded, kind_of, the_bytes
from placewise.ops.math.comparison import equal
from placewise.ops.strings.characters import substr
from placewise.ops.values import TORCH, to_numpy

_READING = (
    "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,"
    " try_recover_truncated: bool = False, acceptable_fraction: float = 1.0,"
    " dct_method: string = ''"
)


def _check_options(channels: int, ratio: int, dct_method: str) -> None:
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")


@op(
    f"DecodeJpeg(contents: string; {_READING}) -> image: uint8",
    devices=("CPU",),
    differentiable=False,
)
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    """Return the pixels of a JPEG file as uint8, [height, width, channels].

    `contents`: the bytes of the file, a string.
    `channels`: 0 as in the file, 1 for grey, 3 for RGB.
    `ratio`: 1, 2, 4 or 8: by how much to shrink the picture.
    `fancy_upscaling`: smooth the colours when they are enlarged; slower, and the default.
    `try_recover_truncated`: take what there is of a file that ends early.
    `acceptable_fraction`: the part of lines that such a file must have.
    `dct_method`: 'INTEGER_FAST', 'INTEGER_ACCURATE' or '' for the default; a hint.

    Runs on the CPU. Raises InvalidArgumentError if the bytes are no picture.

    >>> picture = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
    >>> tf.image.decode_jpeg(picture).shape
    TensorShape([4, 6, 3])
    """
    return decode_jpeg.bind(
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@decode_jpeg.shape
def decode_jpeg_shape(contents: Static, *, channels: int, **_: object) -> Dims:
    if contents.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(contents.shape)}")
    return (None, None, channels or None)


@decode_jpeg.kernel
def decode_jpeg_kernel(
    contents: np.ndarray[Any, Any],
    *,
    channels: int,
    ratio: int,
    dct_method: str,
    try_recover_truncated: bool,
    acceptable_fraction: float,
    **_: object,
) -> Any:
    _check_options(channels, ratio, dct_method)
    data = the_bytes(contents)
    if kind_of(data) != "jpeg":
        return decoded(contents, "DecodeJpeg", channels)
    if channels == 4:
        raise invalid("JPEG does not support 4 channels")
    recovers = try_recover_truncated and acceptable_fraction < 1
    return torch.from_numpy(jpeg_format.decode(data, channels, ratio, recovers))


@op(
    f"DecodeAndCropJpeg(contents: string, crop_window: int32; {_READING}) -> image: uint8",
    host=("crop_window",),
    devices=("CPU",),
    differentiable=False,
)
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: Sequence[Any],
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    """Return the part [top, left, height, width] of a JPEG file."""
    return decode_and_crop_jpeg.bind(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@decode_and_crop_jpeg.shape
def decode_and_crop_jpeg_shape(
    contents: Static, crop_window: Static, *, channels: int, **_: object
) -> Dims:
    window = crop_window.value
    if window is not None and window.shape != (4,):
        raise ValueError(f"Shape of crop_window must be [4], got {list(window.shape)}")
    height, width = (None, None) if window is None else window.tolist()[2:]
    return (height, width, channels or None)


@decode_and_crop_jpeg.kernel
def decode_and_crop_jpeg_kernel(
    contents: np.ndarray[Any, Any],
    crop_window: np.ndarray[Any, Any],
    *,
    channels: int,
    ratio: int,
    dct_method: str,
    try_recover_truncated: bool,
    acceptable_fraction: float,
    **_: object,
) -> Any:
    _check_options(channels, ratio, dct_method)
    data = the_bytes(contents)
    kind = kind_of(data)
    if kind != "jpeg":
        raise invalid(
            f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind.upper()}."
        )
    if channels == 4:
        raise invalid("JPEG does not support 4 channels")
    if crop_window.ndim != 1:
        raise invalid(f"crop_window must be 1-D, got shape {bracketed(crop_window.shape)}")
    if crop_window.size != 4:
        raise invalid(f"crop_size must have four elements {bracketed(crop_window.shape)}")
    recovers = try_recover_truncated and acceptable_fraction < 1
    pixels = jpeg_format.decode(data, channels, ratio, recovers, crop_window.tolist())
    return torch.from_numpy(pixels)


@op(
    "ExtractJpegShape(contents: string; output_type: type = int32) -> image_shape: output_type",
    devices=("CPU",),
    differentiable=False,
    output_type=INDEX,
)
def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = int32, name: str | None = None
) -> Any:
    """Return height, width and channels of a JPEG file without decoding it."""
    return extract_jpeg_shape.bind(contents, output_type=output_type, name=name)


@extract_jpeg_shape.shape
def extract_jpeg_shape_shape(contents: Static, *, output_type: DType) -> Dims:
    return (3,)


@extract_jpeg_shape.kernel
def extract_jpeg_shape_kernel(contents: Any, *, output_type: DType) -> Any:
    if contents.ndim:
        raise invalid(f"contents must be scalar, got shape {bracketed(contents.shape)}")
    if output_type not in INDEX:
        raise invalid(
            f"Value for attr 'output_type' of {as_dtype(output_type).name} is not in the list of "
            "allowed values: int32, int64"
        )
    return torch.tensor(jpeg_format.shape(contents[()]), dtype=TORCH[output_type])


def is_jpeg(contents: TensorLike, name: str | None = None) -> Any:
    """Return True where a string begins as JPEG files do."""
    return equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)


@op(
    "EncodeJpeg(image: uint8; format: ''|'grayscale'|'rgb' = '', quality: int = 95,"
    " progressive: bool = False,"
    " optimize_size: bool = False, chroma_downsampling: bool = True,"
    " density_unit: 'in'|'cm' = 'in',"
    " x_density: int = 300, y_density: int = 300, xmp_metadata: string = '')"
    " -> contents: string",
    devices=("CPU",),
    differentiable=False,
)
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Any:
    """Return an image [height, width, 1 or 3] as a JPEG file."""
    return encode_jpeg.bind(
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


@encode_jpeg.shape
def encode_jpeg_shape(image: Static, *_: Static, **__: object) -> Dims:
    if image.shape is not None and len(image.shape) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(image.shape)}")
    return ()


def _string(data: bytes) -> Any:
    result = np.empty((), dtype=object)
    result[()] = data
    return result


def _check_pixels(image: torch.Tensor) -> None:
    if image.dim() != 3:
        raise invalid(f"image must be 3-dimensional{bracketed(image.shape)}")
    if image.shape[2] not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {bracketed(image.shape)}")
    if not image.shape[0] or not image.shape[1]:
        raise invalid(f"image must not be empty, got {bracketed(image.shape)}")
    if max(image.shape[:2]) > 65500:
        raise invalid("JPEG encoding failed")


def _check_quality(quality: int) -> None:
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")


@encode_jpeg.kernel
def encode_jpeg_kernel(
    image: torch.Tensor,
    *,
    format: str,
    quality: int,
    progressive: bool,
    optimize_size: bool,
    chroma_downsampling: bool,
    density_unit: str,
    x_density: int,
    y_density: int,
    xmp_metadata: str,
) -> Any:
    # TensorFlow cuts fractions off.
    quality, x_density, y_density = int(quality), int(x_density), int(y_density)
    _check_quality(quality)
    if format and image.dim() == 3:
        wanted = 1 if format == "grayscale" else 3
        if image.shape[2] != wanted:
            raise invalid(
                f"format {format} expects {wanted} channels, got {bracketed(image.shape)}"
            )
    _check_pixels(image)
    if not isinstance(xmp_metadata, (str, bytes)):
        raise TypeError(f"Expected string for argument 'xmp_metadata' not {xmp_metadata!r}.")
    xmp = xmp_metadata if isinstance(xmp_metadata, bytes) else xmp_metadata.encode()
    density = (min(max(x_density, 0), 65535), min(max(y_density, 0), 65535))
    return _string(
        jpeg_format.encode(
            to_numpy(image),
            quality,
            progressive,
            optimize_size,
            chroma_downsampling,
            density_unit,
            density,
            xmp,
        )
    )


encode_jpeg_variable_quality = define(
    "EncodeJpegVariableQuality(images: uint8, quality: int32) -> contents: string",
    host=("quality",),
    devices=("CPU",),
    differentiable=False,
    doc="Return an image as a JPEG file of a quality that is a tensor.",
)
encode_jpeg_variable_quality.shape(encode_jpeg_shape)


@encode_jpeg_variable_quality.kernel
def encode_jpeg_variable_quality_kernel(images: torch.Tensor, quality: np.ndarray[Any, Any]) -> Any:
    _check_pixels(images)
    if quality.ndim:
        raise invalid(f"quality must be scalar: {bracketed(quality.shape)}")
    _check_quality(int(quality))
    return _string(jpeg_format.encode(to_numpy(images), int(quality)))


@op(
    "EncodePng(image: T; compression: int = -1) -> contents: string",
    devices=("CPU",),
    differentiable=False,
    T=frozenset({uint8, uint16}),
    default_types={"T": dtypes.uint8},
)
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Any:
    """Return images [..., height, width, 1 to 4] of uint8 or uint16 as PNG files.

    `compression` runs from 0 (none) to 9; -1 is a middle way.
    """
    return encode_png.bind(convert_to_tensor(image), compression=compression, name=name)


@encode_png.shape
def encode_png_shape(image: Static, *, compression: int) -> Dims:
    if image.shape is None:
        return None
    if len(image.shape) < 3:
        raise ValueError(f"Shape must be at least rank 3 but is rank {len(image.shape)}")
    return image.shape[:-3]


@encode_png.kernel
def encode_png_kernel(image: torch.Tensor, *, compression: int) -> Any:
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}")
    if image.dim() < 3:
        raise invalid(f"images must be at least rank 3{bracketed(image.shape)}")
    if not 1 <= image.shape[-1] <= 4:
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    if 0 in image.shape[-3:]:
        raise invalid(f"image must not be empty, got {bracketed(image.shape)}")
    heads = image.shape[:-3]
    pixels = to_numpy(image).reshape(-1, *image.shape[-3:])
    files = np.empty(len(pixels), dtype=object)
    for index, one in enumerate(pixels):
        files[index] = png_format.encode(one, compression)
    return files.reshape(tuple(heads))
