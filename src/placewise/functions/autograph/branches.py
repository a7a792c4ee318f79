"""`if` and the ternary: both sides are traced if a tensor decides, else Python runs one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.tensor import Tensor
from placewise.functions.autograph.state import (
    arranged,
    as_leaf,
    condition,
    flow_of,
    has_none,
    is_convertible,
    is_flag,
    is_result,
    is_symbolic,
    not_a_tensor,
    undefined,
    used_before,
)
from placewise.graph.control_flow import add_choice
from placewise.graph.defaults import get_default_graph
from placewise.graph.subgraphs import Block
from placewise.ops.array.creation import zeros
from placewise.ops.array.shape import identity

_SIDES = ("main", "else")


def if_(
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get: Callable[[], tuple[Any, ...]],
    put: Callable[[tuple[Any, ...]], None],
    names: tuple[str, ...],
    inputs: int = 0,
) -> None:
    """Run one of two blocks; if a tensor decides, add both to the graph.

    The last `inputs` variables are not needed afterwards: both blocks begin with their values.
    """
    try:
        if type(cond) is bool or not is_symbolic(cond):
            if cond:
                body()
            else:
                orelse()
            return
        outputs = names[: len(names) - inputs]
        _Choice(condition(cond, "if statement"), outputs).stage(body, orelse, get, put)
    except NameError as problem:
        raise used_before(problem) from None


class _Choice:
    """The making of one staged `if`; `names` are the variables needed after either side."""

    def __init__(self, cond: Any, names: tuple[str, ...]) -> None:
        self.cond = cond
        self.names = names
        self.graph = get_default_graph()

    def stage(
        self,
        body: Callable[..., Any],
        orelse: Callable[..., Any],
        get: Callable[..., Any],
        put: Callable[..., Any],
    ) -> None:
        """Trace both sides and leave the variables as whichever ran makes them."""
        before = get()
        sides: list[tuple[Any, ...]] = []
        try:
            with self.graph.name_scope("cond") as scope:
                self.blocks = [Block(self.graph), Block(self.graph)]
                for block, run in zip(self.blocks, (body, orelse), strict=True):
                    put(before)
                    with block.entered():
                        run()
                        sides.append(get())
                merged = [
                    self._variable(name, *values)
                    for name, *values in zip(self.names, *sides, strict=False)
                ]
                owner = add_choice(self.graph, "If", scope[:-1], self.cond, self.blocks)
                outputs = iter([identity(output, name="Identity") for output in owner.outputs])
        except BaseException:
            put(before)
            raise
        after = [self._after(item, outputs) for item in merged]
        put((*after, *before[len(after) :]))

    def _variable(self, name: str, main: Any, other: Any) -> tuple[str, Any]:
        """Add one variable to the outputs of both sides; return what it is after them."""
        if main is other and (main is undefined or main is None or not _is_made_of_tensors(main)):
            return "kept", main
        if is_flag(name) and main is other and type(main) is bool:
            return "kept", main
        if main is undefined or other is undefined:
            main, other = self._defined(name, main, other)
        for value, side in zip((main, other), _SIDES, strict=True):
            if has_none(value):
                raise ValueError(f"'{name}' is None at the end of the {side} branch.")
        _check_structure(name, main, other)
        leaves = [nest.flatten(main, True), nest.flatten(other, True)]
        results: list[list[Any]] = [[], []]
        for one, two in zip(*leaves, strict=True):
            pair = self._leaf(name, one, two)
            results[0].append(pair[0])
            results[1].append(pair[1])
        for block, several in zip(self.blocks, results, strict=True):
            block.outputs += [flow_of(item) for item in several]
        return "merged", nest.pack_sequence_as(main, results[0], True)

    def _defined(self, name: str, main: Any, other: Any) -> tuple[Any, Any]:
        """Return both values, where only one side has one: a result not given may be anything."""
        missing, value = (0, other) if main is undefined else (1, main)
        if not is_result(name) or has_none(value):
            if is_result(name):
                raise ValueError(f"the {_SIDES[missing]} branch must also have a return statement.")
            raise ValueError(
                hint(
                    f"'{name}' must also be initialized in the {_SIDES[missing]} branch",
                    "give it a value before the `if`, as tf.constant of the same dtype and shape",
                )
            )
        with self.blocks[1 - missing].entered():
            value = nest.map_structure(as_leaf, value)
        with self.blocks[missing].entered():
            filler = nest.map_structure(_like, value, expand_composites=True)
        return (filler, value) if missing == 0 else (value, filler)

    def _leaf(self, name: str, main: Any, other: Any) -> tuple[Any, Any]:
        for value in (main, other):
            if not is_convertible(value):
                raise not_a_tensor(value, f"'{name}'")
        results = []
        for block, value in zip(self.blocks, (main, other), strict=True):
            with block.entered():
                results.append(as_leaf(value))
        one, two = (flow_of(item).dtype.base_dtype for item in results)
        if one is not two:
            raise TypeError(
                hint(
                    f"'{name}' has dtype {one.name} in the main branch, but dtype {two.name} in "
                    "the "
                    "else branch",
                    "give both branches one dtype, as with tf.cast or 1.0 in place of 1",
                )
            )
        return results[0], results[1]

    @staticmethod
    def _after(variable: tuple[str, Any], outputs: Any) -> Any:
        how, value = variable
        if how == "kept":
            return value
        return arranged(value, [next(outputs) for _ in nest.flatten(value, True)])


def _is_made_of_tensors(value: TensorLike) -> bool:
    return all(is_convertible(leaf) for leaf in nest.flatten(value, True))


def _like(leaf: Any) -> Any:
    """Return zeros of the dtype and shape of a tensor; sizes that are not known are 0."""
    dims = leaf._dims or ()
    return zeros([0 if size is None else size for size in dims], leaf.dtype.base_dtype)


def _check_structure(name: str, main: Any, other: Any) -> None:
    try:
        nest.assert_same_structure(main, other, expand_composites=True)
    except (TypeError, ValueError) as problem:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n\n"
            f"{problem}"
        ) from None


def if_exp(cond: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """Return the value of one of two expressions; if a tensor decides, add both to the graph."""
    if type(cond) is bool or not is_symbolic(cond):
        return body() if cond else orelse()
    results: list[Any] = [undefined]

    def take(function: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            results[0] = function()

        return run

    def put(values: tuple[Any, ...]) -> None:
        results[0] = values[0]

    choice = _Choice(condition(cond, "conditional expression"), ("conditional expression",))
    choice.stage(take(body), take(orelse), lambda: (results[0],), put)
    return results[0]


def fallen_through(returned: Tensor, value: Callable[[], Any]) -> Any:
    """Return what a function returned, if it did; its end may be reached without a return."""
    if is_symbolic(returned):
        raise ValueError("the else branch must also have a return statement.")
    return value() if returned else None
