"""`while` and `for`: traced once if a tensor decides how often they run, else run by Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.errors import OperatorNotAllowedInGraphError
from placewise.core.scope import Scope, current
from placewise.functions.autograph.elements import (
    for_dataset,
    for_iterator,
    is_dataset,
    is_iterator,
)
from placewise.functions.autograph.rows import rows_of
from placewise.functions.autograph.staged_loop import StagedLoop
from placewise.functions.autograph.state import is_symbolic, used_before
from placewise.graph.defaults import get_default_graph
from placewise.graph.subgraphs import Block

_LIMITATIONS = (
    "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/"
    "reference/limitations.md#consistency-of-control-flow-types"
)
Get = Callable[[], tuple[Any, ...]]
Put = Callable[[tuple[Any, ...]], None]

# Class of iterables → the function that runs a `for` over one.
_registered: dict[type, Callable[..., None]] = {}
_runners: dict[type, Callable[..., None] | None] = {}


def register_for(kind: type, function: Callable[..., None]) -> None:
    """Let `function` run every `for` over objects of a class, while a graph is being built.

    It is called with the iterable, a function that says whether to go on (or None), the body
    (a function of one item), two functions that give and replace the loop's variables, their
    names, and a dict of loop options.
    """
    _registered[kind] = function
    _runners.clear()


def _runner(kind: type) -> Callable[..., None] | None:
    """Return the function that runs a `for` over objects of a class; None: nothing special."""
    if kind not in _runners:
        runners = [run for other, run in _registered.items() if issubclass(kind, other)]
        if not runners and is_iterator(kind):
            runners = [for_iterator]
        elif not runners and is_dataset(kind):
            runners = [for_dataset]
        _runners[kind] = runners[0] if runners else None
    return _runners[kind]


def while_(
    test: Callable[[], Any],
    body: Callable[[], None],
    get: Get,
    put: Put,
    names: tuple[str, ...],
    options: Callable[[], dict[str, Any]] | None = None,
) -> None:
    """Repeat a block while a test holds."""
    try:
        _while(test, body, get, put, names, options)
    except NameError as problem:
        raise used_before(problem) from None


def _while(
    test: Callable[[], Any],
    body: Callable[[], None],
    get: Get,
    put: Put,
    names: tuple[str, ...],
    options: Callable[[], dict[str, Any]] | None,
) -> None:
    held = test() if current.interpreter is Scope.eager else _tried(test)
    if is_symbolic(held):
        settings = {} if options is None else options()
        StagedLoop(get, put, names, settings).stage(test, body, "while")
        return
    while held:
        body()
        held = test()
        if type(held) is not bool and is_symbolic(held):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This "
                "may happen either because variables changed type, or when a break or return "
                "statement inside the loop depends on a Tensor condition. In both cases, changing "
                f"to a TF loop should remove the error.\nSee {_LIMITATIONS} for more info."
            )


def _tried(test: Callable[[], Any]) -> Any:
    """Return what a test gives, its operations kept apart: they are traced again if needed."""
    graph = get_default_graph()
    with Block(graph).entered(), graph.name_scope("tested"):
        return test()


def for_(
    iterable: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: tuple[str, ...],
    options: Callable[[], dict[str, Any]] | None = None,
) -> None:
    """Run a block for each item of an iterable."""
    try:
        _for(iterable, extra_test, body, get, put, names, options)
    except NameError as problem:
        raise used_before(problem) from None


def _for(
    iterable: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: tuple[str, ...],
    options: Callable[[], dict[str, Any]] | None,
) -> None:
    if current.interpreter is not Scope.eager:
        run = _runner(type(iterable))
        if run is not None:
            settings = {} if options is None else options()
            run(iterable, extra_test, body, get, put, names, settings)
            return
        if is_symbolic(iterable) or isinstance(iterable, nest.Composite):
            settings = {} if options is None else options()
            rows = rows_of(iterable)
            StagedLoop(get, put, names, settings).stage_rows(rows, extra_test, body)
            return
    if extra_test is None:
        for item in iterable:
            body(item)
    elif _goes_on(extra_test):
        for item in iterable:
            body(item)
            if not _goes_on(extra_test):
                break


def _goes_on(extra_test: Callable[[], Any]) -> bool:
    try:
        return bool(extra_test())
    except OperatorNotAllowedInGraphError:
        raise NotImplementedError(
            "break and return statements which depend on a TF condition are not supported in "
            f"Python for loops. Did you intend to make it a TF loop?\nSee {_LIMITATIONS} for more "
            "info."
        ) from None
