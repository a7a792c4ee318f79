"""Image files read and written; damaged and hostile ones."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

import placewise as tf
from placewise.ops.image import jpeg_header, png_format


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(width: int, height: int, depth: int, color: int, rows: bytes, interlace: int = 0) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    return (
        png_format.SIGNATURE
        + _chunk(b"IHDR", head)
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_comes_back_exactly(channels: int, dtype: type) -> None:
    pixels = (
        np.random.RandomState(0).randint(0, np.iinfo(dtype).max, (7, 5, channels)).astype(dtype)
    )
    data = tf.io.encode_png(tf.constant(pixels))
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=dtype), pixels)


def test_every_filter_of_a_wide_png_is_undone() -> None:
    rows = np.random.RandomState(1).randint(0, 256, (5, 36)).astype(np.uint8)
    data = _png(6, 5, 16, 2, b"".join(bytes([i]) + rows[i].tobytes() for i in range(5)))
    narrow = np.asarray(tf.io.decode_png(data))
    wide = np.asarray(tf.io.decode_png(data, dtype=tf.uint16))
    assert wide.shape == (5, 6, 3)
    np.testing.assert_array_equal(wide >> 8, narrow)
    np.testing.assert_array_equal(wide[0], rows[0].view(">u2").reshape(6, 3))


def test_interlaced_png() -> None:
    rows = b"\0\x01" + b"\0\x03" + b"\0\x07\x09" + b"\0\x02\0\x08" + b"\0\4\5\6"
    pixels = tf.io.decode_png(_png(3, 3, 8, 0, rows, 1))
    np.testing.assert_array_equal(pixels[..., 0], np.arange(1, 10).reshape(3, 3))


@pytest.mark.parametrize("color", [0, 2, 6])
def test_a_picture_too_large_is_refused_before_it_is_decoded(color: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="PNG size too large for int"):
        tf.io.decode_png(_png(60000, 60000, 8, color, b"\0"))


def test_a_png_that_promises_more_than_it_holds() -> None:
    for color, depth in ((2, 8), (2, 16), (6, 16)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data"):
            tf.io.decode_png(_png(500, 500, depth, color, b"\0" * 10))


def _files() -> list[bytes]:
    pixels = tf.constant(np.random.RandomState(2).randint(0, 255, (9, 8, 3)).astype(np.uint8))
    gif = (
        b"GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff,\x00\x00\x00\x00"
        b"\x02\x00\x01\x00\x00\x02\x02D\n\x00;"
    )
    bmp = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 70, 0, 0, 54, 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0)
    wide = tf.io.encode_png(tf.cast(pixels, tf.uint16))
    return [
        tf.io.encode_png(pixels).numpy(),
        tf.io.encode_jpeg(pixels).numpy(),
        gif,
        bmp + bytes(16),
        wide.numpy(),
    ]


@pytest.mark.parametrize("which", range(5))
def test_damaged_files_raise_and_never_crash(which: int) -> None:
    data = _files()[which]
    random = np.random.RandomState(which)
    for trial in range(150):
        broken = bytearray(data)
        for _ in range(random.randint(1, 4)):
            broken[random.randint(len(broken))] = random.randint(256)
        if trial % 3 == 0:
            broken = broken[: random.randint(len(broken))]
        try:
            tf.io.decode_image(bytes(broken))
        except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as failure:
            assert "[Op:DecodeImage]" in str(failure)


def test_jpeg_reads_what_it_wrote_nearly() -> None:
    ramp = np.linspace(0, 255, 16 * 16 * 3).reshape(16, 16, 3).astype(np.uint8)
    again = tf.io.decode_jpeg(tf.io.encode_jpeg(tf.constant(ramp), quality=100))
    assert np.abs(np.asarray(again, int) - ramp).mean() < 6
    assert tf.io.decode_jpeg(tf.io.encode_jpeg(tf.constant(ramp)), ratio=4).shape == (4, 4, 3)
    assert tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.constant(ramp))).numpy().tolist() == [
        16,
        16,
        3,
    ]


def test_density_and_unit_are_written() -> None:
    data = tf.io.encode_jpeg(
        tf.zeros([2, 2, 1], tf.uint8), density_unit="cm", x_density=100, y_density=200
    ).numpy()
    assert data[6:18] == b"JFIF\0\x01\x01\x02\x00\x64\x00\xc8"


@pytest.mark.parametrize("kind", ["rgb", "grayscale"])
@pytest.mark.parametrize("channels", [0, 1, 3])
@pytest.mark.parametrize("progressive", [True, False])
def test_ordinary_jpeg_files_are_decoded_as_pillow_decodes_them(
    kind: str, channels: int, progressive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = 3 if kind == "rgb" else 1
    pixels = np.random.RandomState(3).randint(0, 256, (33, 50, stored)).astype(np.uint8)
    data = tf.io.encode_jpeg(pixels, format=kind, progressive=progressive)
    quick = tf.io.decode_jpeg(data, channels=channels).numpy()
    with monkeypatch.context() as patch:
        patch.setattr(jpeg_header, "read", lambda data: None)
        plain = tf.io.decode_jpeg(data, channels=channels).numpy()
    np.testing.assert_array_equal(quick, plain)


def test_a_jpeg_header_that_is_cut_or_odd_is_left_to_pillow() -> None:
    data = tf.io.encode_jpeg(np.zeros([4, 6, 3], np.uint8)).numpy()
    assert jpeg_header.read(data) == (4, 6, 3)
    scan = data.index(b"\xff\xda")
    assert all(jpeg_header.read(data[:end]) is None for end in range(scan))
    assert jpeg_header.read(data[:2] + b"\xff\xd9" + data[2:]) is None
    size = data.index(b"\xff\xc0") + 5
    assert jpeg_header.read(data[:size] + b"\0\0" + data[size + 2 :]) is None


def test_a_jpeg_file_that_ends_within_its_pixels_is_refused() -> None:
    pixels = np.random.RandomState(4).randint(0, 256, (64, 64, 3)).astype(np.uint8)
    data = tf.io.encode_jpeg(pixels).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        tf.io.decode_jpeg(data[: len(data) // 2])


def test_fractions_of_densities_and_quality_are_cut_off():
    image = np.zeros([2, 1, 3], np.uint8)
    whole = tf.io.encode_jpeg(image, quality=50, x_density=2)
    assert tf.io.encode_jpeg(image, quality=50.5, x_density=2.9).numpy() == whole.numpy()
