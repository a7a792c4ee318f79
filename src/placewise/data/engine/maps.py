"""Datasets that call a function on each element: map, filter, flat_map, interleave, scan, …

A function is traced once; here it is called with flat contents and gives flat contents, with what
it captured as further inputs of the op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from placewise.core.errors import InvalidArgumentError, OpError, OutOfRangeError, invalid
from placewise.data.engine.parallel import ParallelMap, calls_at_once
from placewise.data.engine.source import (
    INFINITE,
    UNKNOWN,
    Element,
    Failure,
    Source,
    Unary,
    dataset_op,
)
from placewise.ops.values import to_numpy


class Call:
    """A function with what it captured: elements in, elements out."""

    def __init__(self, function: Any, captured: list[Any], given: Any, made: Any) -> None:
        self._run, self._captured = function.run, captured
        self._given, self._made = given, made

    @property
    def on_element(self) -> Callable[[Element], Element]:
        """The function from an element to an element, or to a failure."""
        run, captured, given, made = self._run, self._captured, self._given, self._made

        def call(element: Element) -> Element:
            if element.__class__ is Failure:
                return element
            try:
                result: Element = made.element(run(given.contents(element), captured))
            except OpError as error:
                return failed(error)
            return result

        def call_plainly(element: Element) -> Element:
            if element.__class__ is Failure:
                return element
            try:
                return tuple(run(list(element), captured))
            except OpError as error:
                return failed(error)

        return call_plainly if given.is_plain and made.is_plain else call


def failed(error: OpError) -> Failure:
    """Return the failure of a call; "out of range" would be read as the end of the dataset."""
    if isinstance(error, OutOfRangeError):
        return Failure.of(InvalidArgumentError(error.node_def, error.op, error.message))
    return Failure.of(error)


class Calling(Unary):
    """A dataset with one function of the elements of its input."""

    def __init__(
        self, structure: Any, source: Source, captured: list[Any], *, function: Any, result: Any
    ) -> None:
        super().__init__(structure, source)
        self._function, self._captured = function, captured
        self.call = Call(function, captured, source.structure, result).on_element


_CALLING = "input_dataset: variant, other_arguments: [Targuments]; function: func, result: func"


@dataset_op(f"MapDataset({_CALLING}")
class Map(Calling):
    """A function's result for each element."""

    is_transparent = True

    def iterate(self) -> Iterator[Element]:
        """Return the results."""
        width = calls_at_once(self._function.parallel_calls)
        if width > 1 and self._function.is_pure:
            return ParallelMap(self.call, self.source.iterate(), width)
        return map(self.call, self.source.iterate())


@dataset_op(f"FilterDataset({_CALLING}")
class Filter(Calling):
    """The elements for which a function is true."""

    def iterate(self) -> Iterator[Element]:
        """Return the chosen elements."""
        call = self.call
        for element in self.source.iterate():
            answer = call(element)
            if answer.__class__ is Failure:
                yield answer
            elif bool(answer[0]):
                yield element

    def count(self) -> int:
        """Return -2: unknown."""
        given = self.source.count()
        return given if given == 0 else UNKNOWN


@dataset_op(f"TakeWhileDataset({_CALLING}")
class TakeWhile(Calling):
    """The elements before the first for which a function is false."""

    def iterate(self) -> Iterator[Element]:
        """Return the elements as long as the function is true."""
        call = self.call
        for element in self.source.iterate():
            answer = call(element)
            if answer.__class__ is Failure:
                yield answer
            elif bool(answer[0]):
                yield element
            else:
                return

    def count(self) -> int:
        """Return -2: unknown."""
        return UNKNOWN


@dataset_op(f"FlatMapDataset({_CALLING}")
class FlatMap(Calling):
    """The elements of the dataset that a function makes of each element."""

    def iterate(self) -> Iterator[Element]:
        """Return the elements of one dataset after the other."""
        for element in self.source.iterate():
            made = self.call(element)
            if made.__class__ is Failure:
                yield made
            else:
                yield from made[0].value.iterate()

    def count(self) -> int:
        """Return -2: unknown."""
        return UNKNOWN


@dataset_op(
    "InterleaveDataset(input_dataset: variant, other_arguments: [Targuments],"
    " cycle_length: int64, block_length: int64; function: func, result: func",
    host=("cycle_length", "block_length"),
)
class Interleave(Calling):
    """Elements of several datasets that a function makes, by turns, `block_length` at a time."""

    def __init__(
        self,
        structure: Any,
        source: Source,
        captured: list[Any],
        cycle: int,
        block: int,
        *,
        function: Any,
        result: Any,
    ) -> None:
        super().__init__(structure, source, captured, function=function, result=result)
        if cycle <= 0:
            raise invalid(f"`cycle_length` must be > 0 but is: {cycle}")
        if block <= 0:
            raise invalid(f"`block_length` must be > 0 but is: {block}")
        if function.parallel_calls > cycle:
            raise invalid(
                "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
                "`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
                f"`num_parallel_calls` is {function.parallel_calls} and `cycle_length` is {cycle}"
            )
        self._cycle, self._block = cycle, block

    def iterate(self) -> Iterator[Element]:
        """Return elements by turns; a place whose dataset ended gets the next one in its turn.

        TensorFlow's two ops differ in where a failure stands. In the parallel one it is a result
        like others: it counts as an element of its block, and a call that fails has a place with
        this one result. In the other one the place stays in turn until it has an element.
        """
        is_parallel = self._function.parallel_calls != 0
        inputs = self.source.iterate()
        places: list[Any] = [None] * self._cycle
        more, turn, opened = True, 0, 0
        while more or opened:
            if places[turn] is None and more:
                for element in inputs:
                    made = self.call(element)
                    if made.__class__ is Failure:
                        if not is_parallel:
                            yield made
                            continue
                        places[turn] = iter((made,))
                    else:
                        places[turn] = made[0].value.iterate()
                    opened += 1
                    break
                else:
                    more = False
            if (reading := places[turn]) is not None:
                left = self._block
                for element in reading:
                    yield element
                    if is_parallel or element.__class__ is not Failure:
                        left -= 1
                        if not left:
                            break
                else:
                    places[turn] = None
                    opened -= 1
            turn = (turn + 1) % self._cycle

    def count(self) -> int:
        """Return -2: unknown; -1 for an input without end that is read in parallel."""
        if self._function.parallel_calls != 0 and self.source.count() == INFINITE:
            return INFINITE
        return UNKNOWN


@dataset_op(
    "ScanDataset(input_dataset: variant, initial_state: [Tstate], other_arguments: [Targuments];"
    " function: func, state: func, result: func"
)
class Scan(Unary):
    """A function of a state and each element: its new state is kept, its result given."""

    def __init__(
        self,
        structure: Any,
        source: Source,
        initial: list[Any],
        captured: list[Any],
        *,
        function: Any,
        state: Any,
        result: Any,
    ) -> None:
        super().__init__(structure, source)
        self._initial, self._captured = initial, captured
        self._run, self._state = function.run, state

    def iterate(self) -> Iterator[Element]:
        """Return the results."""
        state = list(self._initial)
        size = len(state)
        given, made = self.source.structure, self.structure
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
                continue
            try:
                results = list(self._run([*state, *given.contents(element)], self._captured))
            except OpError as error:
                yield failed(error)
                continue
            state = results[:size]
            yield made.element(results[size:])


def reduced(
    source: Source, initial: list[Any], run: Callable[..., Any], captured: list[Any]
) -> list[Any]:
    """Return the state after a function of state and element was called for all elements."""
    state = list(initial)
    contents = source.structure.contents
    for element in source.read():
        state = list(run([*state, *contents(element)], captured))
    return state


@dataset_op("UniqueDataset(input_dataset: variant")
class Unique(Unary):
    """The elements that were not there before."""

    def iterate(self) -> Iterator[Element]:
        """Return each element the first time."""
        seen = set()
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
                continue
            array = to_numpy(element[0])
            key = (array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel()))
            if key not in seen:
                seen.add(key)
                yield element

    def count(self) -> int:
        """Return -2: unknown."""
        return UNKNOWN
