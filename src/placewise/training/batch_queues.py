"""Batches from tensors that change from run to run: `tf.train.batch`, `shuffle_batch`, …

Each adds a queue, the operations that fill it and a QueueRunner for them, and returns what is
dequeued. Tensors are dense: sparse ones are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import UnimplementedError
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.graph.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from placewise.graph.recorder import constant_value
from placewise.ops.array.partition import dynamic_partition
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.flow.order import group, no_op
from placewise.ops.math.cast import cast
from placewise.training.input_producers import _EAGER, summarize_fill
from placewise.training.queue_runner import QueueRunner, add_queue_runner
from placewise.training.slots import is_eager


class _Asked(NamedTuple):
    """What the public functions have in common."""

    batch_size: Any
    capacity: int
    enqueue_many: bool
    shapes: Any
    allow_smaller_final_batch: bool
    shared_name: str | None
    name: str


def _as_list(tensors: TensorLike) -> tuple[list[Any], Any]:
    """Return tensors as a list, and the keys if they came in a dictionary."""
    if isinstance(tensors, dict):
        keys = sorted(tensors)
        return [tensors[key] for key in keys], keys
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors], None


def _as_lists(tensors_list: list[Any]) -> tuple[list[list[Any]], Any]:
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], dict):
        keys = sorted(tensors_list[0])
        for each in tensors_list[1:]:
            if sorted(each.keys()) != keys:
                raise ValueError("All dictionaries in tensors_list must have the same keys")
        return [[each[key] for key in keys] for each in tensors_list], keys
    return [list(each) for each in tensors_list], None


def _arranged(tensors: Tensor, keys: list[Any] | None, is_single: bool) -> Any:
    found = tensors if isinstance(tensors, list) else [tensors]
    if keys is not None:
        return dict(zip(keys, found, strict=True))
    return found[0] if is_single else found


def _dense(value: TensorLike) -> Any:
    tensor = convert_to_tensor(value)
    if not isinstance(tensor, Tensor):
        raise UnimplementedError(
            None,
            None,
            f"Batches of {type(tensor).__name__} are not made here: batch its parts, or "
            "tf.sparse.to_dense of it.",
        )
    return tensor


def _types_of(lists: list[list[Any]]) -> list[Any]:
    types = [each.dtype.base_dtype for each in lists[0]]
    for other in lists[1:]:
        found = [each.dtype.base_dtype for each in other]
        for one, two in zip(types, found, strict=False):
            if one is not two:
                raise TypeError(f"Expected types to be consistent: {one.name} vs. {two.name}.")
    return types


def _shapes_of(lists: list[list[Any]], given: Any, enqueue_many: bool) -> list[TensorShape]:
    """Return the shapes of an element: what all lists of tensors have in common."""
    if given is not None:
        return [TensorShape(each) for each in given]
    found: list[TensorShape] = []
    for several in zip(*lists, strict=False):
        for each in several:
            if each.shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {each}")
        dims = [list(each.shape._dims)[1 if enqueue_many else 0 :] for each in several]
        if any(len(each) != len(dims[0]) for each in dims):
            found.append(TensorShape(None))
            continue
        found.append(
            TensorShape(
                [
                    at[0] if all(size == at[0] for size in at) else None
                    for at in zip(*dims, strict=True)
                ]
            )
        )
    return found


def _keep(keep_input: TensorLike, enqueue_many: bool) -> Any:
    kept = convert_to_tensor(keep_input)
    rank = kept.shape.rank
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return kept


def _fill(queue: QueueBase, tensors: list[Any], enqueue_many: bool, keep_input: Tensor) -> Any:
    """Return the operation that brings tensors to a queue, or what `keep_input` keeps of them."""
    bring = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.rank == 1:
        places = cast(keep_input, dtypes.int32)
        return bring([dynamic_partition(each, places, 2)[1] for each in tensors])
    known = constant_value(keep_input)
    if known is not None:
        return bring(tensors) if bool(known) else no_op()
    return group(cond(keep_input, lambda: bring(tensors), no_op))


def _batched(
    lists: list[list[Any]],
    keys: list[Any] | None,
    is_single: bool,
    keep_input: TensorLike,
    asked: _Asked,
    threads: int | None,
    make_queue: Callable[..., Any],
    kept: int | None = None,
) -> Any:
    """Build the whole: `threads` is how often the one list is enqueued at a time, if not joined."""
    if is_eager():
        raise ValueError(_EAGER)
    with get_default_graph().name_scope(asked.name) as scope:
        lists = [[_dense(each) for each in several] for several in lists]
        keep = _keep(keep_input, asked.enqueue_many)
        types = _types_of(lists)
        shapes = _shapes_of(lists, asked.shapes, asked.enqueue_many)
        queue = make_queue(types, shapes)
        fills = [_fill(queue, several, asked.enqueue_many, keep) for several in lists]
        add_queue_runner(QueueRunner(queue, fills if threads is None else fills * threads))
        summarize_fill(queue, asked.capacity, kept)
        take = queue.dequeue_up_to if asked.allow_smaller_final_batch else queue.dequeue_many
        return _arranged(take(asked.batch_size, name=scope), keys, is_single)


def _plain_queue(asked: _Asked, dynamic_pad: bool) -> Any:
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue

    def make(types: list[Any], shapes: list[TensorShape]) -> Any:
        return kind(
            capacity=asked.capacity, dtypes=types, shapes=shapes, shared_name=asked.shared_name
        )

    return make


def _shuffling_queue(asked: _Asked, min_after_dequeue: int, seed: int | None) -> Any:
    if asked.capacity <= min_after_dequeue:
        raise ValueError(
            f"capacity {asked.capacity} must be bigger than min_after_dequeue {min_after_dequeue}."
        )

    def make(types: list[Any], shapes: list[TensorShape]) -> Any:
        return RandomShuffleQueue(
            capacity=asked.capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed,
            dtypes=types,
            shapes=shapes,
            shared_name=asked.shared_name,
        )

    return make


def maybe_batch(
    tensors: TensorLike,
    keep_input: TensorLike,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of what `keep_input` keeps of `tensors`."""
    several, keys = _as_list(tensors)
    if not several:
        raise ValueError("Expected at least one tensor in batch().")
    asked = _Asked(
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name or "batch",
    )
    return _batched(
        [several],
        keys,
        keys is None and len(several) == 1,
        keep_input,
        asked,
        num_threads,
        _plain_queue(asked, dynamic_pad),
    )


def batch(
    tensors: TensorLike,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of `tensors`: `batch_size` runs of them, stacked.

    With `enqueue_many`, each run brings a batch itself; `dynamic_pad` pads elements of different
    sizes with zeros.
    """
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Any,
    keep_input: bool,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of what `keep_input` keeps of several lists, each with a thread of its own."""
    lists, keys = _as_lists(tensors_list)
    asked = _Asked(
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name or "batch_join",
    )
    return _batched(
        lists,
        keys,
        keys is None and len(lists[0]) == 1,
        keep_input,
        asked,
        None,
        _plain_queue(asked, dynamic_pad),
    )


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of several lists of tensors, each brought by a thread of its own."""
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: TensorLike,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: bool,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of what `keep_input` keeps of `tensors`."""
    several, keys = _as_list(tensors)
    if not several:
        raise ValueError("Expected at least one tensor in shuffle_batch().")
    asked = _Asked(
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name or "shuffle_batch",
    )
    return _batched(
        [several],
        keys,
        keys is None and len(several) == 1,
        keep_input,
        asked,
        num_threads,
        _shuffling_queue(asked, min_after_dequeue, seed),
        min_after_dequeue,
    )


def shuffle_batch(
    tensors: TensorLike,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of `tensors` in random order; `min_after_dequeue` says how well mixed."""
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of what `keep_input` keeps of several lists of tensors."""
    lists, keys = _as_lists(tensors_list)
    asked = _Asked(
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name or "shuffle_batch_join",
    )
    return _batched(
        lists,
        keys,
        keys is None and len(lists[0]) == 1,
        keep_input,
        asked,
        None,
        _shuffling_queue(asked, min_after_dequeue, seed),
        min_after_dequeue,
    )


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of several lists of tensors, each with a thread of its own."""
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
