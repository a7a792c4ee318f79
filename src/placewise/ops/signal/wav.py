"""Sound in WAV files: 16-bit PCM decoded and encoded."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.memory.host import reserve_by_value
from placewise.ops.declare import op
from placewise.ops.families import bracketed


class DecodeWav(NamedTuple):
    """Samples between -1 and 1, one column a channel, and how many a second."""

    audio: Any
    sample_rate: Any


@op(
    "DecodeWav(contents: string; desired_channels: int = -1, desired_samples: int = -1)"
    " -> audio: float32, sample_rate: int32",
    devices=("CPU",),
    differentiable=False,
)
def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> Any:
    """Return the samples of a 16-bit WAV file and its sample rate.

    `desired_channels` drops channels or repeats the last one, `desired_samples` cuts the sound or
    extends it with silence; -1 leaves it as it is.
    """
    return DecodeWav(
        *decode_wav.bind(
            contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
        )
    )


@decode_wav.shape
def decode_wav_shape(
    contents: Static, *, desired_channels: int, desired_samples: int
) -> list[Dims]:
    if contents.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(contents.shape)}")
    sizes = (None if size == -1 else size for size in (desired_samples, desired_channels))
    return [tuple(sizes), ()]


@decode_wav.kernel
def decode_wav_kernel(contents: Any, *, desired_channels: int, desired_samples: int) -> Any:
    if contents.ndim:
        raise invalid(f"contents must be scalar, got shape {bracketed(contents.shape)}")
    for name, size in (("channels", desired_channels), ("samples", desired_samples)):
        if size < -1:
            raise invalid(f"desired_{name} must be >= -1, got {size}")
    samples, rate = _read(contents[()])
    count, channels = samples.shape
    sizes = (max(desired_samples, count), max(desired_channels, channels))
    reserve_by_value(sizes, torch.float32)
    if desired_channels != -1 and desired_channels != channels:
        kept = [min(channel, channels - 1) for channel in range(desired_channels)]
        samples = samples[:, kept]
    if desired_samples != -1:
        missing = max(0, desired_samples - count)
        samples = np.pad(samples[:desired_samples], [(0, missing), (0, 0)])
    return (
        torch.from_numpy(samples.astype(np.float32) / np.float32(32768.0)),
        torch.tensor(rate, dtype=torch.int32),
    )


class _Reader:
    """Reads a file piece by piece; raises when it ends too early."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        piece = self.data[self.place : self.place + count]
        if len(piece) < count:
            raise invalid("Data too short when trying to read string")
        self.place += count
        return piece

    def expect(self, word: bytes) -> None:
        found = self.take(len(word))
        if found != word:
            raise invalid(
                f"Header mismatch: Expected {word.decode()} but found {found.decode('latin-1')}"
            )

    def number(self, form: str) -> int:
        return int(struct.unpack("<" + form, self.take(struct.calcsize(form)))[0])


def _read(data: bytes) -> tuple[np.ndarray[Any, Any], int]:
    reader = _Reader(data)
    reader.expect(b"RIFF")
    reader.number("I")
    reader.expect(b"WAVE")
    reader.expect(b"fmt ")
    channels, rate = _format(reader)
    while reader.place < len(data):
        name, size = reader.take(4), reader.number("I")
        if name != b"data":
            reader.take(size)
            continue
        frames = size // (2 * channels)
        values = np.frombuffer(reader.take(frames * 2 * channels), "<i2")
        if size > frames * 2 * channels:
            raise invalid("Data too short when trying to read string")
        return values.reshape(frames, channels), rate
    raise invalid("No data chunk found in WAV")


def _format(reader: _Reader) -> tuple[int, int]:
    size = reader.number("I")
    if size not in (16, 18):
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    kind, channels, rate = reader.number("H"), reader.number("H"), reader.number("I")
    per_second, per_sample, bits = reader.number("I"), reader.number("H"), reader.number("H")
    reader.take(size - 16)
    if kind != 1:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{kind}")
    if not channels:
        raise invalid("Bad number of channels for WAV: Expected at least 1, but got 0")
    if bits != 16:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if per_sample != 2 * channels:
        raise invalid(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {per_sample}"
        )
    if per_second != per_sample * rate:
        raise invalid(
            f"Bad bytes per second in WAV header: Expected {per_sample * rate} but got "
            f"{per_second} (sample_rate={rate}, bytes_per_sample={per_sample})"
        )
    return channels, rate


@op(
    "EncodeWav(audio: float32, sample_rate: int32) -> contents: string",
    host=("sample_rate",),
    devices=("CPU",),
    differentiable=False,
)
def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Any:
    """Return samples between -1 and 1, one column a channel, as a 16-bit WAV file."""
    return encode_wav.bind(audio, sample_rate, name)


@encode_wav.shape
def encode_wav_shape(audio: Static, sample_rate: Static) -> Dims:
    if audio.shape is not None and len(audio.shape) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(audio.shape)}")
    return ()


@encode_wav.kernel
def encode_wav_kernel(audio: torch.Tensor, sample_rate: np.ndarray[Any, Any]) -> Any:
    if audio.dim() != 2:
        raise invalid(f"audio must be 2-dimensional{bracketed(audio.shape)}")
    if sample_rate.ndim:
        raise invalid(
            f"Input sample_rate should be a scalar tensor, got {bracketed(sample_rate.shape)} "
            "instead."
        )
    rate = int(sample_rate)
    if rate <= 0:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {rate}")
    channels = audio.shape[1]
    if not channels:
        raise invalid("audio is null")
    scaled = torch.nan_to_num(audio * 32768.0, nan=0.0)
    # Halves go away from zero, as C rounds.
    whole = torch.trunc(scaled + torch.copysign(torch.tensor(0.5), scaled)).clamp(-32768, 32767)
    body = whole.to(torch.int16).numpy().astype("<i2").tobytes()
    width = 2 * channels
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(body),
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        rate,
        rate * width & 0xFFFFFFFF,  # as TensorFlow's 32 bits have it
        width,
        16,
        b"data",
        len(body),
    )
    result = np.empty((), dtype=object)
    result[()] = head + body
    return result
