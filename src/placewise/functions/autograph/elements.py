"""A staged `for` over data sets and their iterators: elements until there are no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.functions.autograph.branches import if_
from placewise.functions.autograph.rows import Rows
from placewise.functions.autograph.staged_loop import StagedLoop
from placewise.ops.array.creation import constant


def is_iterator(kind: type) -> bool:
    """Return True for classes of iterators whose next element may be asked for in a graph."""
    return hasattr(kind, "get_next_as_optional")


def is_dataset(kind: type) -> bool:
    """Return True for classes of data sets."""
    return hasattr(kind, "element_spec") and hasattr(kind, "__iter__")


def for_dataset(
    dataset: Any,
    extra_test: Callable[..., Any] | None,
    body: Callable[..., Any],
    get: Callable[..., Any],
    put: Callable[..., Any],
    names: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    """Run a loop over the elements of a data set."""
    iterator = iter(dataset)
    if not is_iterator(type(iterator)):
        raise TypeError(f"iterating over {type(dataset).__name__} is not supported in a graph")
    # Nobody else reads from this iterator: an element may be taken before it is needed.
    rows = Rows(
        iterator.get_next_as_optional(),
        lambda _: iterator.get_next_as_optional(),
        lambda optional: optional.has_value(),
        lambda optional: optional.get_value(),
    )
    # As in TensorFlow, whose loop over a data set is a `Dataset.reduce`; that over a distributed
    # one, or over an iterator, is a while loop.
    widens = hasattr(dataset, "_variant_tensor")
    StagedLoop(get, put, names, options, widens).stage_rows(rows, extra_test, body)


def for_iterator(
    iterator: Any,
    extra_test: Callable[..., Any],
    body: Callable[[Any], None],
    get: Callable[..., Any],
    put: Callable[..., Any],
    names: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    """Run a loop over what is left of an iterator; the body sees every element taken."""
    more = [constant(True)]

    def test() -> Any:
        return more[0] if extra_test is None else more[0] & extra_test()

    def step() -> None:
        optional = iterator.get_next_as_optional()
        more[0] = optional.has_value()
        if_(more[0], lambda: body(optional.get_value()), lambda: None, get, put, names)

    def put_all(values: tuple[Any, ...]) -> None:
        more[0] = values[0]
        put(values[1:])

    loop = StagedLoop(lambda: (more[0], *get()), put_all, ("more", *names), options)
    loop.stage(test, step, "for")
