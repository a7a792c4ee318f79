"""`tf.vectorized_map`: traces a function of one row, and does what it wrote for all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.errors import invalid
from placewise.core.log import get_logger
from placewise.core.tensor import Tensor
from placewise.functions.call_form import tell_tapes
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.inline import dependencies
from placewise.functions.parameters import taken_apart
from placewise.functions.trace import Making, trace
from placewise.functions.vectorization import computing_rules, shape_rules
from placewise.functions.vectorization.calls import (
    RULES,
    NoRule,
    RowCall,
    Shared,
    Value,
    repeated,
)
from placewise.graph.effects import acts
from placewise.ops import graph_only
from placewise.ops.array.shape import shape, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.loops import _read
from placewise.ops.flow.map_fn import map_fn
from placewise.ops.specs import TensorSpec, type_spec_from_value

_ = shape_rules  # fills the table of rules


def vectorized_map(
    fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Return the results of `fn` for each row of `elems`, stacked.

    `fn` is called once, on rows without values, and what it computes is done for all rows at once.
    Tensors of one row go with every row of the others. Results may be of any dtype; what `fn`
    returns without looking at its argument is repeated for every row.

    `fallback_to_while_loop`: operations that nobody can do for all rows at once are done row by
        row; with False they raise ValueError. Branches, loops and what changes state let all of
        `fn` run row by row.
    `warn`: accepted; what is done row by row is logged either way.
    """
    elems = nest.map_structure(lambda each: convert_to_tensor(_read(each)), elems)
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError("max() arg is an empty sequence: elems holds no tensor")
    rows, count = _rows(flat)
    specs = [TensorSpec(each.shape[1:], each.dtype) for each in flat]
    given = [("elems", nest.pack_sequence_as(elems, specs))]
    function = trace(
        fn, "loop_body", taken_apart(given, 1), None, Making(False), may_change_arguments=True
    )
    tell_tapes(function.graph.variables)
    try:
        walk = _Walk(function, rows, count, fallback_to_while_loop)
        results = {id(tensor): walk.result(tensor) for tensor in function.outputs}
    except _RowByRow as reason:
        get_logger().warning(
            "vectorized_map calls its function row by row, as it holds %s, which cannot be done "
            "for all rows at once.",
            reason,
        )
        return _mapped(fn, elems, rows, count, function.structured_tensors)
    return nest.map_structure(
        lambda leaf: None if leaf is None else results[id(leaf)], function.structured_tensors
    )


class _RowByRow(Exception):  # noqa: N818 - a reason, no error
    """Why a whole function runs row by row."""


def _rows(flat: list[Any]) -> tuple[list[Value], Any]:
    """Return what stands for the rows of tensors, and how many there are.

    A tensor of one row beside others of several is the same for all.
    """
    shapes = [each.shape for each in flat]
    sizes = [None if each.rank is None else each.as_list()[0] for each in shapes]
    known = [size for size in sizes if size is not None]
    most = max(known, default=1)
    for size in known:
        if size not in (1, most):
            raise invalid(f"indices[{size}] = {size} is not in [0, {size})")
    count: Any = most
    if len(known) < len(flat) and most == 1:
        count = shape(flat[sizes.index(None)])[0]
    values = []
    for tensor, size in zip(flat, sizes, strict=True):
        is_shared = size == 1 and (most != 1 or len(known) < len(flat))
        rank = None if tensor.shape.rank is None else tensor.shape.rank - 1
        values.append(Value(squeeze(tensor, 0) if is_shared else tensor, not is_shared, rank))
    return values, count


class _Walk:
    """Does the operations of a traced function, in order, for all rows."""

    def __init__(
        self, function: ConcreteFunction, rows: list[Value], count: Any, may_loop: bool
    ) -> None:
        graph = function.graph
        self.count, self.may_loop = count, may_loop
        self.values: dict[int, Value] = {}
        for inner, value in zip(graph.inputs, rows, strict=True):
            self.values[id(inner)] = value
        for outer, inner in [*graph.captures, *graph.constants.values()]:
            self.values[id(inner)] = _shared(outer, inner)
        if any(not isinstance(leaf, (Tensor, type(None))) for leaf in _leaves(function)):
            raise _RowByRow("a composite among its results")
        for operation in dependencies([*function.outputs, *function.effects], function.inputs):
            self._do(operation)

    def result(self, tensor: Any) -> Any:
        """Return a result of the function, for all rows."""
        return repeated(self.values[id(tensor)], self.count)

    def _do(self, operation: Any) -> None:
        outputs = operation.outputs
        if outputs and all(id(output) in self.values for output in outputs):
            return
        draws = "seed2" in operation.attrs  # random numbers, others for each row
        has_own_gradient = operation.gradient_override is not None
        if operation.blocks or acts(operation) or draws or has_own_gradient:
            raise _RowByRow(f"{operation.type} ({operation.name})")
        if operation.declaration is graph_only.const.op:
            made = convert_to_tensor(operation.attrs["value"], operation.attrs["dtype"])
            self.values[id(outputs[0])] = _shared(made, outputs[0])
            return
        inputs = [
            [self.values[id(each)] for each in item]
            if type(item) is list
            else self.values[id(item)]
            for item in operation.spread
        ]
        call = RowCall(operation, inputs, self.count)
        if any(value.is_rows for value in _flat(inputs)):
            results = _as_list(self._for_all_rows(call))
        else:
            results = [Shared(each) for each in _as_list(call.bind(*_tensors(inputs)))]
        for output, result in zip(outputs, _flat(results), strict=True):
            rank = None if output._dims is None else len(output._dims)
            is_rows = type(result) is not Shared
            self.values[id(output)] = Value(result if is_rows else result.value, is_rows, rank)

    def _for_all_rows(self, call: RowCall) -> Any:
        rule = RULES.get(call.declaration.name)
        if rule is None and call.declaration.elementwise:
            rule = computing_rules.elementwise
        if rule is not None:
            try:
                return rule(call)
            except NoRule:
                pass
        return self._one_by_one(call)

    def _one_by_one(self, call: RowCall) -> Any:
        """Do one operation row by row."""
        kind = call.declaration.name
        if not self.may_loop:
            raise ValueError(
                f"No pfor vectorization defined for {kind}\n{call.operation}\n inputs: "
                f"{call.inputs}. "
            )
        get_logger().warning(
            "Using a while_loop for converting %s cause there is no registered converter for this "
            "op.",
            kind,
        )
        varying = [value for value in _flat(call.inputs) if value.is_rows]
        kinds = [output.dtype for output in call.operation.outputs]

        def once(rows: list[Any]) -> Any:
            row = iter(rows)
            given = _replaced(call.inputs, lambda value: next(row) if value.is_rows else value[0])
            return _flat(_as_list(call.bind(*given)))

        return map_fn(once, [value.tensor for value in varying], fn_output_signature=kinds)


def _shared(outer: Any, inner: Any) -> Value:
    return Value(outer, False, None if inner._dims is None else len(inner._dims))


def _leaves(function: ConcreteFunction) -> list[Any]:
    leaves: list[Any] = nest.flatten(function.structured_tensors)
    return leaves


def _flat(items: list[Any]) -> list[Any]:
    return [part for item in items for part in (item if type(item) is list else [item])]


def _tensors(inputs: list[Any]) -> list[Any]:
    return _replaced(inputs, lambda value: value.tensor)


def _replaced(inputs: list[Any], replace: Callable[[Value], Any]) -> list[Any]:
    return [
        [replace(each) for each in item] if type(item) is list else replace(item) for item in inputs
    ]


def _as_list(result: Any) -> list[Any]:
    if isinstance(result, Shared):
        return [result]
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _mapped(
    fn: Callable[..., Any], elems: Any, values: list[Value], count: Any, structure: Any
) -> Any:
    """Return what `fn` gives, called for one row after the other."""
    rows = [repeated(value, count) for value in values]
    kept = [leaf for leaf in nest.flatten(structure) if leaf is not None]

    def once(row: Any) -> list[Any]:
        return [leaf for leaf in nest.flatten(fn(row)) if leaf is not None]

    signature = [_signature(leaf) for leaf in kept]
    results = iter(map_fn(once, nest.pack_sequence_as(elems, rows), fn_output_signature=signature))
    return nest.map_structure(lambda leaf: None if leaf is None else next(results), structure)


def _signature(leaf: Any) -> Any:
    return leaf.dtype if isinstance(leaf, Tensor) else type_spec_from_value(leaf)
