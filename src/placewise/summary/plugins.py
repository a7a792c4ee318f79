"""tf.summary.scalar, histogram, image, audio, text: tensors in the form TensorBoard's plugins read.

All are made of ordinary ops, so that they run eagerly, in functions and in graphs alike.
"""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core import dtypes
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import fill, linspace, ones_like
from placewise.ops.array.shape import reshape, shape, size
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.map_fn import map_fn
from placewise.ops.image.conversion import convert_image_dtype
from placewise.ops.image.jpeg import encode_png
from placewise.ops.math.arithmetic import minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_max, reduce_min
from placewise.ops.math.unsorted_segments import unsorted_segment_sum
from placewise.ops.signal.wav import encode_wav
from placewise.ops.strings.numerals import as_string
from placewise.summary.records import summary_scope, write

_BUCKETS = 30
# What the audio plugin is told: version 0, encoded as WAV.
_WAV = b"\x10\x0b"


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> Any:
    return messages.SummaryMetadata(
        summary_description=description or None,
        plugin_data=messages.SummaryMetadata.PluginData(plugin_name=plugin, content=content),
    )


def _ranked(data: Any, rank: int, dtype: Any = None) -> Any:
    found = convert_to_tensor(data, dtype)
    if found.shape.rank not in (rank, None):
        raise ValueError(
            f"Tensor  must have rank {rank}.  Received rank {found.shape.rank}, shape {found.shape}"
        )
    return found


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write a number to the default writer; return a tensor that is True if it was written.

    `name`: the name of the curve; the name scope prefixes it.
    `data`: one real number, written as float32.
    `step`: the number of the step, by default that of `tf.summary.experimental.set_step`.
    `description`: a longer text, in Markdown.

    Without a default writer nothing happens. Raises ValueError if a writer is there and no step,
    and for more than one element.

    >>> with tf.summary.create_file_writer("logs").as_default():
    ...     bool(tf.summary.scalar("loss", 0.5, step=1))
    True
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        found = convert_to_tensor(data)
        if found.shape.rank not in (0, None):
            raise ValueError(f"Expected scalar shape, saw shape: {found.shape}.")
        metadata = _metadata("scalars", description)
        return write(tag, lambda: cast(found, dtypes.float32), step, metadata)


def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Any:
    """Write how values of any shape are spread over so many equal buckets (30)."""
    with summary_scope(name, "histogram_summary") as (tag, _):
        found = convert_to_tensor(data)
        count = _BUCKETS if buckets is None else int(buckets)
        metadata = _metadata("histograms", description)
        return write(tag, lambda: _spread(found, count), step, metadata)


def _spread(data: Any, count: int) -> Any:
    """Return [count, 3]: the lower end, the upper end and the number of values of each bucket."""
    if count <= 0:
        return convert_to_tensor([], dtypes.float64)[:, None] * convert_to_tensor([[0.0] * 3])
    values = reshape(cast(data, dtypes.float64), [-1])
    zero, one = convert_to_tensor(0.0, dtypes.float64), convert_to_tensor(1.0, dtypes.float64)
    is_empty = size(values) <= 0
    low = where(is_empty, zero, reduce_min(values))
    high = where(is_empty, zero, reduce_max(values))
    # Where all values are equal, all fall into the last bucket.
    is_single = high - low <= 0
    width = where(is_single, one, (high - low) / count)
    places = cast((values - low) / width, dtypes.int32)
    places = where(is_single, ones_like(places) * (count - 1), minimum(places, count - 1))
    counts = unsorted_segment_sum(ones_like(values), places, count)
    edges = linspace(low, high, count + 1)
    return stack([edges[:-1], edges[1:], counts], axis=1)


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> Any:
    """Write pictures [count, height, width, channels], numbers from 0 to 1 or uint8."""
    with summary_scope(name, "image_summary") as (tag, _):
        found = _ranked(data, 4)
        metadata = _metadata("images", description)

        def pictures() -> Any:
            pixels = convert_image_dtype(found, dtypes.uint8, saturate=True)[:max_outputs]
            encoded = map_fn(encode_png, pixels, fn_output_signature=dtypes.string)
            sizes = shape(found)
            return concat([as_string(stack([sizes[2], sizes[1]])), encoded], axis=0)

        return write(tag, pictures, step, metadata)


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Write sounds [count, frames, channels] of numbers from -1 to 1, as WAV."""
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding}")
    with summary_scope(name, "audio_summary") as (tag, _):
        found = _ranked(data, 3, dtypes.float32)
        metadata = _metadata("audio", description, _WAV)

        def sounds() -> Any:
            rate = cast(sample_rate, dtypes.int32)
            encoded = map_fn(
                lambda clip: encode_wav(clip, rate),
                found[:max_outputs],
                fn_output_signature=dtypes.string,
            )
            return stack([encoded, fill(shape(encoded), "")], axis=1)

        return write(tag, sounds, step, metadata)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write a string, or strings of any shape as a table; Markdown is shown as such."""
    with summary_scope(name, "text_summary") as (tag, _):
        found = convert_to_tensor(data)
        if found.dtype is not dtypes.string:
            raise TypeError(f"tensor must be of type {dtypes.string!r}; got {found.dtype!r}")
        return write(tag, found, step, _metadata("text", description))
