"""Queues that are filled again and again from one tensor: `tf.train.string_input_producer`, …"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.graph.defaults import get_default_graph
from placewise.graph.print_ops import Assert
from placewise.graph.queues import FIFOQueue
from placewise.graph.variable import VariableV1
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io.files import matching_files
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater
from placewise.ops.random.shuffle import shuffle as shuffled
from placewise.ops.tf1_spelling import shape, size
from placewise.summary.tf1 import scalar as summarize
from placewise.training.queue_runner import QueueRunner, add_queue_runner
from placewise.training.slots import is_eager

_EAGER = (
    "Input pipelines based on Queues are not supported when eager execution is enabled. Please "
    "use tf.data to ingest data into your model instead."
)


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Return a local variable of the file names that match, looked for when it is initialized."""
    with get_default_graph().name_scope(name or "matching_filenames") as scope:
        return VariableV1(
            initial_value=matching_files(pattern),
            trainable=False,
            name=scope,
            validate_shape=False,
            collections=["local_variables"],
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Return a tensor that is `tensor` so many times, then raises OutOfRangeError.

    The count is kept in a local variable, which must be initialized.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = get_default_graph()
    with graph.name_scope(name or "limit_epochs") as scope:
        start = convert_to_tensor(0, dtypes.int64, name="Const")
        epochs: Any = VariableV1(
            start, name="epochs", trainable=False, collections=["local_variables"]
        )
        counter = epochs.count_up_to(num_epochs)
        with graph.control_dependencies([counter]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Return a queue of the rows of a tensor, shuffled anew each time; a QueueRunner fills it."""
    if is_eager():
        raise RuntimeError(_EAGER)
    with get_default_graph().name_scope(name or "input_producer"):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        whole = rows.shape.with_rank_at_least(1)
        one = whole[1:].merge_with(element_shape)
        if not one.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            rows = shuffled(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[rows.dtype.base_dtype],
            shapes=[one],
            shared_name=shared_name,
            name=name or "fifo_queue",
        )
        fill = queue.enqueue_many([rows])
        add_queue_runner(QueueRunner(queue, [fill], cancel_op=cancel_op))
        summarize_fill(queue, capacity, name=summary_name)
        return queue


def summarize_fill(
    queue: Any, capacity: int, kept: int | None = None, name: str | None = None
) -> None:
    """Add a summary of how full a queue is, or of how full beyond what it keeps to shuffle."""
    count, room, default = queue.size(), capacity, f"fraction_of_{capacity}_full"
    if kept is not None:
        count, room = maximum(0, count - kept), capacity - kept
        default = f"fraction_over_{kept}_of_{room}_full"
    summarize(name or default, cast(count, dtypes.float32) * (1.0 / room))


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Return a queue of strings, mostly the names of files."""
    none = "string_input_producer requires a non-null input tensor"
    if not hasattr(string_tensor, "dtype") and not string_tensor:
        raise ValueError(none)
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer") as scope:
        strings = convert_to_tensor(string_tensor, dtypes.string)
        with graph.control_dependencies([Assert(greater(size(strings), 0), [none])]):
            strings = identity(strings)
        return input_producer(
            input_tensor=strings,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            cancel_op=cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return a queue of the integers from 0 to `limit` - 1."""
    with get_default_graph().name_scope(name or "input_producer") as scope:
        numbers = range_of(limit)
        return input_producer(
            numbers, [], num_epochs, shuffle, seed, capacity, shared_name, name=scope
        )


def slice_input_producer(
    tensor_list: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """Return one slice of each tensor, at one place that changes from run to run."""
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer"):
        tensors = [convert_to_tensor(each) for each in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        count = shape(tensors[0])[0]
        places = range_input_producer(
            count,
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        place = places.dequeue()
        return [gather(each, place) for each in tensors]
