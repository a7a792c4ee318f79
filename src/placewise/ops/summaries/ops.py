"""Ops that make a Summary message, as a string, of a number, values, pictures, sounds, tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.shapes import Dims
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.image import png_format
from placewise.ops.io.tensors import strings
from placewise.ops.signal.wav import encode_wav_kernel
from placewise.ops.summaries import histogram, pictures
from placewise.ops.summaries.tensor_value import tensor_value
from placewise.ops.values import Content, to_numpy

if TYPE_CHECKING:
    import torch


REAL = frozenset(
    {
        dtypes.float32,
        dtypes.float64,
        dtypes.int32,
        dtypes.uint8,
        dtypes.int16,
        dtypes.int8,
        dtypes.int64,
        dtypes.bfloat16,
        dtypes.uint16,
        dtypes.float16,
        dtypes.uint32,
        dtypes.uint64,
    }
)
PIXELS = frozenset({dtypes.uint8, dtypes.float32, dtypes.float16, dtypes.float64})
_CPU: dict[str, Any] = {"devices": ("CPU",), "differentiable": False}


def _scalar_shape(*_: object, **__: object) -> Dims:
    return ()


def _declared(signature: str, doc: str, **types: Any) -> Bind:
    made = define(signature, doc=doc, **_CPU, **types)
    made.shape(_scalar_shape)
    return made


def _text(value: Any, what: str) -> str:
    if value.ndim:
        raise invalid(f"{what} must be a scalar")
    text: str = value[()].decode("utf-8", "surrogateescape")
    return text


def _packed(summary: Any) -> Any:
    return strings([summary.SerializeToString()], ())


scalar_summary = _declared(
    "ScalarSummary(tags: string, values: T) -> summary: string",
    "Return a summary with one number per tag.",
    T=REAL,
)


@scalar_summary.kernel
def scalar_summary_kernel(tags: np.ndarray[Any, Any], values: torch.Tensor) -> Any:
    numbers = to_numpy(values)
    if tags.shape != numbers.shape:
        first = f" (tag '{tags.ravel()[0].decode()}')" if tags.size else ""
        raise invalid(
            f"tags and values not the same shape: {bracketed(tags.shape)} != "
            f"{bracketed(numbers.shape)}{first}"
        )
    summary = messages.Summary()
    for tag, number in zip(tags.ravel(), numbers.ravel(), strict=True):
        summary.value.add(tag=tag.decode(), simple_value=np.float32(number))
    return _packed(summary)


histogram_summary = _declared(
    "HistogramSummary(tag: string, values: T) -> summary: string",
    "Return a summary with a histogram of values.",
    T=REAL,
    default_types={"T": dtypes.float32},
)


@histogram_summary.kernel
def histogram_summary_kernel(tag: np.ndarray[Any, Any], values: torch.Tensor) -> Any:
    return _packed(histogram_of(_text(tag, "tags"), to_numpy(values)))


def histogram_of(tag: str, values: np.ndarray[Any, Any]) -> Any:
    """Return a Summary with a histogram of an array; what is not finite is refused."""
    wide = values.astype(np.float64)
    if not np.isfinite(wide).all():
        kind = "Nan" if np.isnan(wide.ravel()[~np.isfinite(wide.ravel())][0]) else "Infinity"
        raise invalid(f"{kind} in summary histogram for: {tag}")
    summary = messages.Summary()
    histogram.fill(summary.value.add(tag=tag).histo, wide)
    return summary


image_summary = _declared(
    "ImageSummary(tag: string, tensor: T; max_images: int >= 1 = 3, bad_color: tensor = None)"
    " -> summary: string",
    "Return a summary with pictures.",
    T=PIXELS,
    default_types={"T": dtypes.float32},
)


@image_summary.kernel
def image_summary_kernel(
    tag: np.ndarray[Any, Any],
    tensor: torch.Tensor,
    *,
    max_images: int,
    bad_color: np.ndarray[Any, Any] | None,
) -> Any:
    color = np.array([255, 0, 0, 255], np.uint8) if bad_color is None else to_numpy(bad_color)
    return _packed(images_of(_text(tag, "Tags"), to_numpy(tensor), max_images, color))


def images_of(
    tag: str, images: np.ndarray[Any, Any], most: int, bad_color: np.ndarray[Any, Any]
) -> Any:
    """Return a Summary with the first `most` of [count, height, width, 1, 3 or 4 channels]."""
    if most < 1:
        raise invalid(f"max_images must be > 0, got {most}")
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise invalid("Tensor must be 4-D with last dim 1, 3, or 4, not " + bracketed(images.shape))
    count, height, width, channels = images.shape
    if not height or not width:
        raise invalid(f"Tensor must have pixels, not {bracketed(images.shape)}")
    summary = messages.Summary()
    for number in range(min(count, most)):
        value = summary.value.add(tag=f"{tag}/image" if most == 1 else f"{tag}/image/{number}")
        value.image.height, value.image.width, value.image.colorspace = height, width, channels
        pixels = pictures.to_bytes(images[number], bad_color)
        value.image.encoded_image_string = png_format.encode(pixels, -1)
    return summary


audio_summary_v2 = _declared(
    "AudioSummaryV2(tag: string, tensor: float32, sample_rate: float32; max_outputs: int >= 1 = 3)"
    " -> summary: string",
    "Return a summary with sounds.",
)
audio_summary = _declared(
    "AudioSummary(tag: string, tensor: float32; sample_rate: float, max_outputs: int >= 1 = 3)"
    " -> summary: string",
    "Return a summary with sounds; the rate is an attribute.",
)


@audio_summary_v2.kernel
def audio_summary_v2_kernel(
    tag: np.ndarray[Any, Any], tensor: torch.Tensor, sample_rate: torch.Tensor, *, max_outputs: int
) -> Any:
    return _packed(sounds_of(_text(tag, "Tag"), tensor, float(sample_rate), max_outputs))


@audio_summary.kernel
def audio_summary_kernel(
    tag: np.ndarray[Any, Any], tensor: torch.Tensor, *, sample_rate: float, max_outputs: int
) -> Any:
    return _packed(sounds_of(_text(tag, "Tag"), tensor, sample_rate, max_outputs))


def sounds_of(tag: str, clips: torch.Tensor, rate: float, most: int) -> Any:
    """Return a Summary with the first `most` of [count, frames] or [count, frames, channels]."""
    if clips.ndim not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: {bracketed(clips.shape)}")
    if rate <= 0:
        raise invalid("sample_rate must be > 0")
    if clips.ndim == 2:
        clips = clips.unsqueeze(2)
    summary = messages.Summary()
    for number in range(min(clips.shape[0], most)):
        audio = summary.value.add(
            tag=f"{tag}/audio" if most == 1 else f"{tag}/audio/{number}"
        ).audio
        audio.sample_rate, audio.num_channels = rate, clips.shape[2]
        audio.length_frames, audio.content_type = clips.shape[1], "audio/wav"
        whole = max(1, round(rate))  # halves to the even one, as C's lrint
        encoded = encode_wav_kernel(clips[number], np.array(whole, np.int32))
        audio.encoded_audio_string = encoded[()]
    return summary


tensor_summary_v2 = _declared(
    "TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string)"
    " -> summary: string",
    "Return a summary with a tensor and what it is for.",
    T=dtypes.ANY,
)
tensor_summary = _declared(
    "TensorSummary(tensor: T; description: string = '', labels: list(string) = [],"
    " display_name: string = '') -> summary: string",
    "Return a summary with a tensor.",
    T=dtypes.ANY,
)


@tensor_summary_v2.kernel
def tensor_summary_v2_kernel(
    tag: np.ndarray[Any, Any], tensor: Content, serialized_summary_metadata: Any
) -> Any:
    found = tensor_value(_text(tag, "tag"), tensor, serialized_summary_metadata[()])
    return strings([messages.Summary(value=[found]).SerializeToString()], ())


@tensor_summary.kernel
def tensor_summary_kernel(tensor: Content, **_: object) -> Any:
    return strings(
        [messages.Summary(value=[tensor_value("", tensor, None)]).SerializeToString()], ()
    )


merge_summary = _declared(
    "MergeSummary(inputs: N*string >= 1) -> summary: string",
    "Return several summaries as one.",
)


@merge_summary.kernel
def merge_summary_kernel(inputs: list[Any]) -> Any:
    summary = messages.Summary()
    tags: set[str] = set()
    for number, data in enumerate(each for array in inputs for each in array.ravel()):
        try:
            values = messages.Summary.FromString(data).value
        except Exception:
            raise invalid(f"Could not parse one of the summary inputs: input {number}") from None
        for value in values:
            # A tag in two inputs would overwrite itself on the page.
            if value.tag and value.tag in tags:
                raise invalid(f"Duplicate tag {value.tag} found in summary inputs")
            tags.add(value.tag)
        summary.value.extend(values)
    return _packed(summary)
