"""tf.summary of TensorFlow 1: ops that make summaries, collected in their graph, and merged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.log import get_logger
from placewise.core.names import name_scope
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.shape import expand_dims
from placewise.ops.convert import convert_to_tensor
from placewise.ops.summaries import ops, writer_ops
from placewise.summary import plugins
from placewise.summary.state import state
from placewise.summary.to_writer import writer_step, written

_KEY = "summaries"
_ILLEGAL = re.compile(r"[^-/\w\.]")
_RED = np.array([255, 0, 0, 255], np.uint8)


def clean_tag(name: str) -> str:
    """Return a tag without what names may not hold, and say so if there was any."""
    if name is None:
        return name
    cleaned = _ILLEGAL.sub("_", name).lstrip("/")
    if cleaned != name:
        get_logger().info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextmanager
def named_summary(name: str, family: str | None) -> Iterator[tuple[str, str]]:
    """Open the scope of a summary op; yields its tag and the scope, which names the op."""
    if name is None:
        raise ValueError("At least one of name (None) and default_name (None) must be provided.")
    name, family = clean_tag(name), clean_tag(family) if family is not None else None
    with name_scope(f"{family}/{name}" if family else name) as scope:
        tag = scope.rstrip("/")
        yield (f"{family}/{tag}" if family else tag), scope


def _collected(tensor: Tensor, collections: list[Any] | None) -> Any:
    """Add a summary to its graph's collections; of several replicas the first one's is enough."""
    if current.replica:
        return convert_to_tensor("")
    if current.interpreter is not Scope.eager:
        for key in [_KEY] if collections is None else collections:
            get_default_graph().add_to_collection(key, tensor)
    return tensor


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """Return a summary of a number, as a string tensor for a FileWriter.

    `name`: the name of the curve; the name scope prefixes it.
    `tensor`: one real number.
    `collections`: the collections of the graph to join, by default the summaries.
    `family`: a prefix under which TensorBoard groups curves.

    A run raises InvalidArgumentError for more than one element.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     encoded = session.run(tf.compat.v1.summary.scalar("loss", 0.5))
    >>> tf.compat.v1.Summary.FromString(encoded).value[0].simple_value
    0.5
    """
    step = writer_step()
    with named_summary(name, family) as (tag, scope):
        if step is not None:
            return written(lambda: plugins.scalar(tag, tensor, step))
        return _collected(ops.scalar_summary(tag, tensor, name=scope), collections)


def histogram(
    name: str, values: TensorLike, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of how values are spread, as a string tensor for a FileWriter.

    `name`: the name of the chart; the name scope prefixes it.
    `values`: real numbers, of any shape.
    `collections`: the collections of the graph to join, by default the summaries.
    `family`: a prefix under which TensorBoard groups charts.

    A run raises InvalidArgumentError if a value is nan or infinite.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     encoded = session.run(tf.compat.v1.summary.histogram("weights", [1.0, 2.0]))
    >>> tf.compat.v1.Summary.FromString(encoded).value[0].histo.num
    2.0
    """
    step = writer_step()
    with named_summary(name, family) as (tag, scope):
        if step is not None:
            return written(lambda: plugins.histogram(tag, values, step))
        return _collected(ops.histogram_summary(tag, values, name=scope), collections)


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Return a summary of pictures [count, height, width, 1, 3 or 4 channels]."""
    step = writer_step()
    with named_summary(name, family) as (tag, scope):
        if step is not None:
            return written(lambda: plugins.image(tag, tensor, step, max_outputs))
        made = ops.image_summary(tag, tensor, max_images=max_outputs, bad_color=_RED, name=scope)
        return _collected(made, collections)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Return a summary of sounds [count, frames] or [count, frames, channels]."""
    step = writer_step()
    with named_summary(name, family) as (tag, scope):
        if step is not None:
            sound = convert_to_tensor(tensor)
            if sound.shape.rank == 2:  # of one channel
                sound = expand_dims(sound, 2)
            return written(lambda: plugins.audio(tag, sound, sample_rate, step, max_outputs))
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        made = ops.audio_summary_v2(tag, tensor, rate, max_outputs=max_outputs, name=scope)
        return _collected(made, collections)


def text(name: str, tensor: TensorLike, collections: Any = None) -> Any:
    """Return a summary of strings."""
    found = convert_to_tensor(tensor)
    if found.dtype is not dtypes.string:
        shown = getattr(found, "name", found) if current.interpreter is not Scope.eager else found
        raise ValueError(f"Expected tensor {shown} to have dtype string, got {found.dtype!r}")
    step = writer_step()
    if step is not None:
        if not current.replica:
            plugins.text(name, found, step)
        return convert_to_tensor(b"")
    metadata = messages.SummaryMetadata(
        plugin_data=messages.SummaryMetadata.PluginData(plugin_name="text")
    )
    return tensor_summary(name, found, summary_metadata=metadata, collections=collections)


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: Any = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    """Return a summary of a tensor of any kind; `summary_metadata` says who shows it."""
    metadata = messages.SummaryMetadata() if summary_metadata is None else summary_metadata
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description
    with named_summary(name, family) as (tag, scope):
        made = ops.tensor_summary_v2(tag, tensor, metadata.SerializeToString(), name=scope)
        return _collected(made, collections)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Return several summaries as one, as a string tensor."""
    if current.interpreter is Scope.eager:
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "tf.contrib.summary instead."
        )
    if not inputs:
        raise ValueError(
            "List argument 'inputs' to 'MergeSummary' Op with length 0 shorter than minimum "
            "length 1."
        )
    with name_scope(clean_tag(name) if name else "Merge"):
        made = ops.merge_summary(list(inputs))
    for key in collections or ():
        get_default_graph().add_to_collection(key, made)
    return made


def merge_all(key: str = _KEY, scope: str | None = None, name: str | None = None) -> Any:
    """Return all summaries of a collection as one string tensor, or None if there are none.

    `key`: the collection, by default that of the summaries.
    `scope`: keep only those whose name begins so (a regular expression).

    Raises RuntimeError where ops run at once.

    >>> with tf.Graph().as_default():
    ...     _ = tf.compat.v1.summary.scalar("loss", 0.5)
    ...     tf.compat.v1.summary.merge_all().op.type
    'MergeSummary'
    """
    if current.interpreter is Scope.eager:
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "tf.contrib.summary instead."
        )
    found = get_default_graph().get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


def get_summary_description(node_def: Any) -> Any:
    """Return the description that a TensorSummary node carries."""
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format  # noqa: PLC0415 - keeps protobuf out

    said = node_def.attr["description"].s.decode()
    found = messages.SummaryDescription()
    json_format.Parse(said or "{}", found)
    return found


def all_v2_summary_ops() -> Any:
    """Return what TensorFlow 2's summary functions added to the graph; None when eager."""
    if current.interpreter is Scope.eager:
        return None
    return get_default_graph().get_collection("_SUMMARY_V2")


def initialize(graph: Any = None, session: Any = None) -> None:
    """Open the files of all writers of this graph, and write the graph if one is given."""
    if current.interpreter is Scope.eager or state.writer is None:
        return
    if session is None:
        session = current.sessions[-1] if current.sessions else None
        if session is None:
            raise ValueError("Argument `session must be passed if no default session exists")
    session.run(get_default_graph().get_collection("_SUMMARY_WRITER_INIT_OP"))
    if graph is not None:
        data = graph.as_graph_def(add_shapes=True).SerializeToString()
        session.run(writer_ops.write_graph_summary(state.writer.handle, 0, data))
