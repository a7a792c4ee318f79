"""The making of one loop in the graph: its test and body are traced once, its variables checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.functions.autograph.branches import _like
from placewise.functions.autograph.rows import Rows
from placewise.functions.autograph.state import (
    arranged,
    as_leaf,
    condition,
    flow_of,
    has_none,
    is_convertible,
    is_result,
    undefined,
)
from placewise.graph.control_flow import add_loop
from placewise.graph.defaults import get_default_graph
from placewise.graph.print_ops import Assert
from placewise.graph.subgraphs import Block, iterations
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.comparison import greater

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


class _Variable:
    """One variable of a loop: its first value, and its tensors inside."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value  # its structure, leaves as tensors; undefined until the body sets it
        self.first: list[Any] = []
        self.dims: list[Any] = []
        self.is_defined_inside = False

    @property
    def is_late(self) -> bool:
        """True if it has no value before the loop."""
        return self.value is undefined


class StagedLoop:
    """A loop that a tensor decides about; `options` are those of set_loop_options.

    `widens`: a variable whose shape changes gets a shape that holds all of its values.
    """

    def __init__(
        self,
        get: Callable[[], tuple[Any, ...]],
        put: Callable[[tuple[Any, ...]], None],
        names: tuple[str, ...],
        options: dict[str, Any],
        widens: bool = False,
    ) -> None:
        self.get, self.put = get, put
        self.names, self.options, self.widens = names, options, widens
        self.read_items: set[str] = set()
        self.graph = get_default_graph()

    def stage_rows(
        self, rows: Rows, extra_test: Callable[[], Any] | None, body: Callable[[Any], None]
    ) -> None:
        """Add a loop over items that a counter stands for."""
        if not rows.is_counter:
            self.read_items = set(str(self.options.get("read_items", "")).split())
        counter = [rows.first]

        def test() -> Any:
            held = rows.holds(counter[0])
            if extra_test is None:
                return held
            more = extra_test()
            return held if more is True else held & more

        def step() -> None:
            number = counter[0]
            body(rows.item(number))
            counter[0] = rows.advance(number)

        get, put, names = self.get, self.put, self.names
        item = self.options.get("iterate_names") if rows.is_counter else None

        def get_all() -> tuple[Any, ...]:
            pairs = zip(names, get(), strict=True)
            return (
                counter[0],
                *[counter[0] if v is undefined and name == item else v for name, v in pairs],
            )

        self.get = get_all

        def put_all(values: tuple[Any, ...]) -> None:
            counter[0] = values[0]
            put(values[1:])

        self.put, self.names = put_all, ("the iterated items", *names)
        self.stage(test, step, "for")

    def stage(self, test: Callable[[], Any], body: Callable[[], None], kind: str) -> None:
        """Trace test and body, and leave the variables as the loop makes them."""
        before = self.get()
        try:
            after = self._staged(test, body, before)
        except BaseException:
            self.put(before)
            raise
        self.put(after)

    def _staged(
        self, test: Callable[[], Any], body: Callable[[], None], before: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        graph = self.graph
        with graph.name_scope("while") as scope:
            limit = self.options.get("maximum_iterations")
            if limit is not None:
                limit = convert_to_tensor(limit, name="maximum_iterations")
            self.variables = [
                self._entering(name, value) for name, value in zip(self.names, before, strict=True)
            ]
            if any(item.is_late for item in self.variables):
                self._define_late(body)
            # Shapes only get wider, so this ends.
            while not self._traced(test, body):
                continue
            first = [tensor for item in self.variables for tensor in item.first]
            owner = add_loop(graph, scope[:-1], first, self.test, self.body, limit)
            with graph.control_dependencies(self._checks(owner)):
                outputs = iter([identity(output, name="Exit") for output in owner.outputs])
        return tuple(
            [
                undefined
                if item.is_late
                else arranged(item.value, [next(outputs) for _ in item.first])
                for item in self.variables
            ]
        )

    def _traced(self, test: Callable[[], Any], body: Callable[[], None]) -> bool:
        """Trace test and body; return False if a variable has got a wider shape by that."""
        self.test, self.body = Block(self.graph, repeats=True), Block(self.graph, repeats=True)
        self.put(self._inside(self.test))
        with self.test.entered():
            self.test.outputs = [condition(test(), "while loop")]
        self.put(self._inside(self.body))
        before = [tuple(variable.dims) for variable in self.variables]
        with self.body.entered():
            body()
            results = self.get()
            for variable, result in zip(self.variables, results, strict=True):
                self._leaving(variable, result)
        return before == [tuple(variable.dims) for variable in self.variables]

    def _checks(self, owner: Operation) -> list[Any]:
        """Return the operations that fail if a variable has no value, as no iteration gave it one.

        What a function returns is read only where it did. An item counts if it is read after the
        loop; that of a range has a value without any iteration, as in TensorFlow.
        """
        items = set(re.findall(r"\w+", self.options.get("iterate_names") or "")) - self.read_items
        names = [variable.name for variable in self.variables if variable.is_defined_inside]
        wanted = [name for name in names if name not in items and not is_result(name)]
        if not wanted:
            return []
        message = f"loop must iterate at least once to initialize {', '.join(wanted)}"
        return [Assert(greater(iterations(owner), 0), [message])]

    def _entering(self, name: str, value: Any) -> _Variable:
        """Return a variable with its value before the loop."""
        if value is undefined or value is None:
            return _Variable(name, undefined)
        if has_none(value):
            raise ValueError(f"'{name}' may not be None before the loop.")
        shapes = self._invariant(value)
        for leaf in nest.flatten(value, True):
            if not is_convertible(leaf):
                raise TypeError(
                    f"Failed to convert elements of {leaf!r} to Tensor. Consider casting elements "
                    "to a supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes "
                    "for supported TF dtypes."
                )
        variable = _Variable(name, nest.map_structure(as_leaf, value))
        variable.first = [flow_of(item) for item in nest.flatten(variable.value, True)]
        variable.dims = [item._dims for item in variable.first]
        if shapes is not None:
            self._widen(variable, shapes)
        return variable

    def _invariant(self, value: Any) -> Any:
        for variable, shape in self.options.get("shape_invariants") or ():
            if variable is value:
                return shape
        return None

    def _widen(self, variable: _Variable, shapes: TensorShape) -> None:
        if isinstance(shapes, TensorShape):
            every = [shapes]
        else:
            every = [
                item if isinstance(item, TensorShape) else TensorShape(item)
                for item in _up_to(shapes)
            ]
        for index, (tensor, shape) in enumerate(zip(variable.first, every, strict=True)):
            if not shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"'{variable.name}' has shape {tensor.shape} before the loop, which does not "
                    f"conform with the shape invariant {shape}."
                )
            variable.dims[index] = shape._dims

    def _define_late(self, body: Callable[[], None]) -> None:
        """Trace the body once to see what it makes of variables that have no value before it.

        Then the loop begins with zeros for them: a later iteration may read what one before left.
        """
        trial = Block(self.graph, repeats=True)
        self.put(self._inside(trial))
        with trial.entered(), self.graph.name_scope("tested"):
            try:
                body()
            except (NameError, ValueError) as problem:
                self._explain(problem)
                raise
            results = self.get()
        for variable, result in zip(self.variables, results, strict=True):
            if variable.is_late and result is not undefined and result is not None:
                self._define(variable, result, trial)

    def _define(self, variable: _Variable, result: Tensor, trial: Block) -> None:
        if has_none(result):
            raise ValueError(f"'{variable.name}' is None at the end of the iteration.")
        if not all(is_convertible(leaf) for leaf in nest.flatten(result, True)):
            raise ValueError(f"'{variable.name}' must be defined before the loop")
        with trial.entered():
            variable.value = nest.map_structure(as_leaf, result)
        flows = [flow_of(item) for item in nest.flatten(variable.value, True)]
        variable.first = [_like(item) for item in flows]
        variable.dims = [item._dims for item in flows]
        variable.is_defined_inside = True

    def _inside(self, block: Block) -> tuple[Any, ...]:
        """Return the variables as a block sees them."""
        values = []
        for variable in self.variables:
            if variable.is_late:
                values.append(undefined)
                continue
            parameters = [
                block.parameter(tensor.dtype.base_dtype, dims, "Placeholder", tensor)
                for tensor, dims in zip(variable.first, variable.dims, strict=True)
            ]
            values.append(arranged(variable.value, parameters))
        return tuple(values)

    def _leaving(self, variable: _Variable, result: Any) -> None:
        """Take in the value of a variable at the end of the body."""
        if result is undefined:
            if not variable.is_late:
                raise ValueError(f"'{variable.name}' must be defined at the end of the loop body")
            return
        if has_none(result):
            if variable.is_late and result is None:
                return
            raise ValueError(f"'{variable.name}' is None at the end of the iteration.")
        if variable.is_late:
            raise ValueError(f"'{variable.name}' must be defined before the loop")
        _check_structure(variable, result)
        outputs = []
        leaves = nest.flatten(result, True)
        for index, (first, leaf) in enumerate(zip(variable.first, leaves, strict=True)):
            flow = flow_of(as_leaf(leaf, first.dtype.base_dtype))
            if self.widens:
                variable.dims[index] = _common(variable.dims[index], flow._dims)
            _check(variable.name, first, variable.dims[index], flow)
            outputs.append(flow)
        self.body.outputs += outputs

    def _explain(self, problem: Exception) -> None:
        """Raise what TensorFlow does if a variable is read that only a later line defines."""
        late = [variable.name for variable in self.variables if variable.is_late]
        message = str(problem)
        for name in late:
            if (f"'{name}'" in message and "branch" in message) or _is_unbound(problem, name):
                if isinstance(problem, NameError):
                    message = f"'{name}' is used before assignment"
                kind = "UnboundLocalError" if isinstance(problem, NameError) else "ValueError"
                raise ValueError(
                    f"'{name}' must be defined before the loop\nNote: AutoGraph tried to define it "
                    f"automatically, but ran into a {kind}: {message}"
                ) from problem


def _is_unbound(problem: Exception, name: str) -> bool:
    return (
        isinstance(problem, NameError)
        and getattr(problem, "name", None) in (name, None)
        and (f"'{name}'" in str(problem))
    )


def _check_structure(variable: _Variable, result: Any) -> None:
    try:
        nest.assert_same_structure(variable.value, result, expand_composites=True)
    except (TypeError, ValueError) as problem:
        raise TypeError(
            f"'{variable.name}' does not have the same nested structure after one iteration.\n\n"
            f"{problem}"
        ) from None


def _common(first: Any, second: Any) -> Any:
    """Return the sizes that two shapes have in common."""
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple(size if size == other else None for size, other in zip(first, second, strict=True))


def _check(name: str, first: Any, dims: Any, after: Any) -> None:
    """Raise what TensorFlow raises if a variable changes its dtype or shape."""
    if after.dtype.base_dtype is not first.dtype.base_dtype:
        raise TypeError(
            f"'{name}' has dtype {first.dtype.base_dtype.name} before the loop, but dtype "
            f"{after.dtype.base_dtype.name} after one iteration"
        )
    if dims is None:
        return
    dims_after = after._dims
    if (
        dims_after is None
        or len(dims_after) != len(dims)
        or any(w is not None and w != n for w, n in zip(dims, dims_after, strict=True))
    ):
        raise ValueError(
            f"'{name}' has shape {first.shape} before the loop, but shape {after.shape} after one "
            "iteration. Use tf.autograph.experimental.set_loop_options to set shape invariants."
        )


def _up_to(shapes: Any) -> list[Any]:
    """Return the shapes of a structure of them; a list of sizes is one shape."""
    is_shape = isinstance(shapes, (list, tuple)) and all(
        shape is None or isinstance(shape, int) for shape in shapes
    )
    if is_shape or isinstance(shapes, TensorShape):
        return [shapes]
    children = nest.children(shapes)
    if children is None:
        return [shapes]
    return [item for _, child in children for item in _up_to(child)]
