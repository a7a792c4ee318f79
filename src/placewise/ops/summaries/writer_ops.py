"""Ops that open, fill, flush and close event files through handles."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core import dtypes
from placewise.core.errors import DataLossError, FailedPreconditionError, invalid
from placewise.core.names import next_number
from placewise.core.runtime import State, runtime
from placewise.ops.declare import Bind, define
from placewise.ops.summaries.event_file import EventFile
from placewise.ops.summaries.ops import PIXELS, REAL, histogram_of, images_of, sounds_of
from placewise.ops.summaries.tensor_value import tensor_value
from placewise.ops.values import Content, Handle, to_numpy

if TYPE_CHECKING:
    import numpy as np
    import torch


_CPU: dict[str, Any] = {"devices": ("CPU",), "stateful": True, "differentiable": False}
_WRITER = "tensorflow.core.util.events_writer"


@dataclass(slots=True)
class SharedWriters(State):
    """The writers of eager programs that have a shared name, by container and name."""

    handles: dict[tuple[str, str], Handle] = field(default_factory=dict)


_shared = runtime.state(SharedWriters)

summary_writer = define(
    "SummaryWriter(; shared_name: string = '', container: string = '') -> writer: resource",
    doc="Make a handle that an event file can be opened for.",
    **_CPU,
)
summary_writer.shape(lambda **_: ())


@summary_writer.kernel
def summary_writer_kernel(*, shared_name: str, container: str) -> Handle:
    if shared_name and (container, shared_name) in _shared.handles:
        return _shared.handles[container, shared_name]
    made = Handle("SummaryWriter", shared_name, None)
    if shared_name:
        _shared.handles[container, shared_name] = made
    return made


def _declared(signature: str, doc: str, host: tuple[str, ...] = (), **types: Any) -> Bind:
    made = define(signature, doc=doc, host=host, **_CPU, **types)
    made.shape(lambda *_, **__: [])
    return made


def _text(value: Any, what: str) -> str:
    if value.ndim:
        raise invalid(f"{what} must be scalar")
    text: str = value[()].decode("utf-8", "surrogateescape")
    return text


def _file(writer: Handle) -> EventFile:
    if writer.value is None:
        raise FailedPreconditionError(
            None,
            None,
            "The summary writer was not initialized: run its init() first, or it is closed already",
        )
    found: EventFile = writer.value
    return found


create_summary_file_writer = _declared(
    "CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32,"
    " flush_millis: int32, filename_suffix: string)",
    "Open an event file; a writer that has one keeps it.",
    host=("max_queue", "flush_millis"),
)


@create_summary_file_writer.kernel
def create_summary_file_writer_kernel(
    writer: Handle,
    logdir: np.ndarray[Any, Any],
    max_queue: np.ndarray[Any, Any],
    flush_millis: np.ndarray[Any, Any],
    filename_suffix: np.ndarray[Any, Any],
) -> None:
    if writer.value is not None:
        return
    number = next_number("event file")
    suffix = f".{os.getpid()}.{number}{_text(filename_suffix, 'filename_suffix')}"
    writer.value = EventFile(
        _text(logdir, "logdir"), suffix, int(max_queue), int(flush_millis) / 1000, _WRITER
    )


flush_summary_writer = _declared(
    "FlushSummaryWriter(writer: resource)", "Hand what was written to the system."
)
close_summary_writer = _declared("CloseSummaryWriter(writer: resource)", "Finish an event file.")


@flush_summary_writer.kernel
def flush_summary_writer_kernel(writer: Handle) -> None:
    _file(writer).flush()


@close_summary_writer.kernel
def close_summary_writer_kernel(writer: Handle) -> None:
    if writer.value is not None:
        writer.value.close()
        writer.value = None


def _write(writer: Handle, step: Any, summary: Any) -> None:
    event = messages.Event(wall_time=time.time(), step=int(step), summary=summary)
    _file(writer).write(event.SerializeToString())


write_summary = _declared(
    "WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string)",
    "Write a tensor to an event file.",
    host=("step",),
    T=dtypes.ANY,
)


@write_summary.kernel
def write_summary_kernel(
    writer: Handle,
    step: np.ndarray[Any, Any],
    tensor: Content,
    tag: np.ndarray[Any, Any],
    summary_metadata: Any,
) -> None:
    value = tensor_value(_text(tag, "tag"), tensor, summary_metadata[()] or None)
    _write(writer, step, messages.Summary(value=[value]))


write_scalar_summary = _declared(
    "WriteScalarSummary(writer: resource, step: int64, tag: string, value: T)",
    "Write a number to an event file.",
    host=("step",),
    T=REAL,
)


@write_scalar_summary.kernel
def write_scalar_summary_kernel(
    writer: Handle, step: np.ndarray[Any, Any], tag: np.ndarray[Any, Any], value: torch.Tensor
) -> None:
    summary = messages.Summary()
    summary.value.add(tag=_text(tag, "tag"), simple_value=float(to_numpy(value)))
    _write(writer, step, summary)


write_histogram_summary = _declared(
    "WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T)",
    "Write a histogram of values to an event file.",
    host=("step",),
    T=REAL | {dtypes.bool},
    default_types={"T": dtypes.float32},
)


@write_histogram_summary.kernel
def write_histogram_summary_kernel(
    writer: Handle, step: np.ndarray[Any, Any], tag: np.ndarray[Any, Any], values: torch.Tensor
) -> None:
    _write(writer, step, histogram_of(_text(tag, "tag"), to_numpy(values)))


write_image_summary = _declared(
    "WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8;"
    " max_images: int >= 1 = 3)",
    "Write pictures to an event file.",
    host=("step",),
    T=PIXELS,
    default_types={"T": dtypes.float32},
)


@write_image_summary.kernel
def write_image_summary_kernel(
    writer: Handle,
    step: np.ndarray[Any, Any],
    tag: np.ndarray[Any, Any],
    tensor: torch.Tensor,
    bad_color: torch.Tensor,
    *,
    max_images: int,
) -> None:
    found = images_of(_text(tag, "tag"), to_numpy(tensor), max_images, to_numpy(bad_color))
    _write(writer, step, found)


write_audio_summary = _declared(
    "WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float32,"
    " sample_rate: float32; max_outputs: int >= 1 = 3)",
    "Write sounds to an event file.",
    host=("step",),
)


@write_audio_summary.kernel
def write_audio_summary_kernel(
    writer: Handle,
    step: np.ndarray[Any, Any],
    tag: np.ndarray[Any, Any],
    tensor: torch.Tensor,
    sample_rate: torch.Tensor,
    *,
    max_outputs: int,
) -> None:
    _write(writer, step, sounds_of(_text(tag, "tag"), tensor, float(sample_rate), max_outputs))


write_raw_proto_summary = _declared(
    "WriteRawProtoSummary(writer: resource, step: int64, tensor: string)",
    "Write Summary messages to an event file, as one event.",
    host=("step",),
)


@write_raw_proto_summary.kernel
def write_raw_proto_summary_kernel(
    writer: Handle, step: np.ndarray[Any, Any], tensor: np.ndarray[Any, Any]
) -> None:
    merged = messages.Summary()
    for index, data in enumerate(tensor.ravel()):
        try:
            merged.MergeFromString(data)
        except Exception:
            raise DataLossError(
                None,
                None,
                f"Bad tf.compat.v1.Summary binary proto tensor string at index {index}",
            ) from None
    _write(writer, step, merged)


write_graph_summary = _declared(
    "WriteGraphSummary(writer: resource, step: int64, tensor: string)",
    "Write a GraphDef message to an event file.",
    host=("step",),
)


@write_graph_summary.kernel
def write_graph_summary_kernel(
    writer: Handle, step: np.ndarray[Any, Any], tensor: np.ndarray[Any, Any]
) -> None:
    event = messages.Event(wall_time=time.time(), step=int(step), graph_def=tensor[()])
    _file(writer).write(event.SerializeToString())


import_event = _declared(
    "ImportEvent(writer: resource, event: string)", "Write an Event message to an event file."
)


@import_event.kernel
def import_event_kernel(writer: Handle, event: np.ndarray[Any, Any]) -> None:
    try:
        found = messages.Event.FromString(event[()])
    except Exception:
        raise invalid("Could not parse Event proto from tensor") from None
    _file(writer).write(found.SerializeToString())
