"""`tf.contrib.summary`: summaries written for the global step, if recording is turned on.

Writers and the switch are those of TensorFlow 2 (`summary/records.py`). What differs: nothing is
recorded unless told to, the global step is the default, and events have another form.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.graph.defaults import get_default_graph
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import executing_eagerly
from placewise.ops.flow.order import group
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.summaries import writer_ops
from placewise.session.session import get_default_session
from placewise.summary import records
from placewise.summary.state import state
from placewise.summary.tf1 import named_summary
from placewise.summary.writers import SummaryWriter, create_noop_writer
from placewise.summary.writers import create_file_writer as create_file_writer_v2
from placewise.training.global_step import get_or_create_global_step

_SUMMARIES, _WRITERS = "_SUMMARY_V2", "_SUMMARY_WRITER_INIT_OP"


def create_file_writer(
    logdir: str | None,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Return a writer of event files in a folder; without one, a writer that writes nothing."""
    if logdir is None:
        return create_noop_writer()
    return create_file_writer_v2(logdir, max_queue, flush_millis, filename_suffix, name)


def always_record_summaries() -> AbstractContextManager[None]:
    """Return a context in which all summaries are written."""
    return records.record_if(True)


def never_record_summaries() -> AbstractContextManager[None]:
    """Return a context in which no summary is written."""
    return records.record_if(False)


def record_summaries_every_n_global_steps(
    n: int, global_step: Any = None
) -> AbstractContextManager[None]:
    """Return a context in which summaries are written in every n-th global step."""
    step = get_or_create_global_step() if global_step is None else global_step
    period = convert_to_tensor(n, dtypes.int64)
    return records.record_if(lambda: equal(cast(step, dtypes.int64) % period, 0))


def should_record_summaries() -> Any:
    """Return whether a summary would be written here, as a tensor."""
    if state.condition is None:
        return convert_to_tensor(False)
    return records.should_record_summaries()


def _write(
    name: str, family: str | None, step: Any, write_now: Callable[[Any, Any, str], Any]
) -> Any:
    """Write an event with the writer in force, if it is to be."""
    if state.writer is None or state.condition is None:
        return convert_to_tensor(False) if executing_eagerly() else group()
    at = get_or_create_global_step() if step is None else step
    with named_summary(name, family) as (tag, _):
        return records.recorded(lambda: write_now(state.writer.handle, cast(at, dtypes.int64), tag))


def scalar(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Write a number."""
    return _write(
        name,
        family,
        step,
        lambda writer, at, tag: writer_ops.write_scalar_summary(
            writer, at, tag, convert_to_tensor(tensor)
        ),
    )


def histogram(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Write how values are spread."""
    return _write(
        name,
        family,
        step,
        lambda writer, at, tag: writer_ops.write_histogram_summary(
            writer, at, tag, convert_to_tensor(tensor)
        ),
    )


def generic(
    name: str, tensor: TensorLike, metadata: Any = None, family: str | None = None, step: Any = None
) -> Any:
    """Write a tensor as it is."""
    data = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    return _write(
        name,
        family,
        step,
        lambda writer, at, tag: writer_ops.write_summary(
            writer, at, convert_to_tensor(tensor), tag, data or b""
        ),
    )


def image(
    name: str,
    tensor: TensorLike,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write pictures, at most `max_images` of a batch; `bad_color` marks what is not finite."""
    color = convert_to_tensor([255, 0, 0, 255] if bad_color is None else bad_color, dtypes.uint8)
    return _write(
        name,
        family,
        step,
        lambda writer, at, tag: writer_ops.write_image_summary(
            writer, at, tag, convert_to_tensor(tensor), color, max_images=max_images
        ),
    )


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: Any,
    max_outputs: int,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write sounds, at most `max_outputs` of a batch."""
    rate = convert_to_tensor(sample_rate, dtypes.float32)
    return _write(
        name,
        family,
        step,
        lambda writer, at, tag: writer_ops.write_audio_summary(
            writer, at, tag, convert_to_tensor(tensor), rate, max_outputs=max_outputs
        ),
    )


def all_summary_ops() -> Any:
    """Return what a graph's summaries are; None where they write themselves."""
    return None if executing_eagerly() else get_default_graph().get_collection(_SUMMARIES)


def summary_writer_initializer_op() -> Any:
    """Return what opens the files of a graph's writers."""
    if executing_eagerly():
        raise RuntimeError(
            "tf.contrib.summary.summary_writer_initializer_op is only supported in graph mode."
        )
    return get_default_graph().get_collection(_WRITERS)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Open the files of a graph's writers, in a session."""
    if executing_eagerly():
        return
    session = session or get_default_session()
    if session is None:
        raise ValueError("session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        data = graph.as_graph_def(add_shapes=True).SerializeToString()
        session.run(writer_ops.write_graph_summary(state.writer.handle, 0, data))


def flush(writer: Any = None, name: str | None = None) -> Any:
    """Hand what was written to the system."""
    return records.flush(writer, name)


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """Return the folder of a model's evaluations, of those of one name if given."""
    return os.path.join(model_dir, f"eval_{name}" if name else "eval")
