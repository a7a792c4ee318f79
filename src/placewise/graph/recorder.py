"""The graph's meaning of an op call: it is written down.

Inputs that are no tensors become constants named after the argument; dtypes are checked, the shape
rule is asked, and the outputs come back as symbolic tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from placewise.core import dtypes
from placewise.core.advice import advised
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import hint
from placewise.core.foreign_words import in_own_words, stated
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.core.tensor import Tensor
from placewise.devices.origin import user_line
from placewise.eager.dispatch import composite_result
from placewise.graph import lazy, static_values
from placewise.graph.graph import Graph
from placewise.graph.groups import group, with_control_inputs
from placewise.graph.names import checked
from placewise.graph.relocation import relocated
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only
from placewise.ops import operators as operators  # installs the operators of tensors
from placewise.ops.attribute_limits import check_graph_limits, not_allowed_in_graph
from placewise.ops.convert import (
    contains_tensor,
    convert_to_tensor,
    has_converter,
    host_constant,
    host_type,
)
from placewise.ops.declare import Arg, Op
from placewise.ops.families import bracketed
from placewise.ops.values import EagerTensor, to_numpy

if TYPE_CHECKING:
    import numpy as np

    from placewise.graph.operation import Operation


class _Form(NamedTuple):
    """What of an op is the same for each of its operations."""

    name: str
    inputs: tuple[tuple[Arg, bool], ...]  # with each, whether it is a list
    types: tuple[tuple[str, frozenset[int]], ...]  # type attributes, the numbers of their dtypes
    type_attrs: tuple[str, ...]
    output: Arg | None  # if there is one alone


@functools.cache
def _form(op: Op) -> _Form:
    outputs = op.outputs
    return _Form(
        op.node_name or op.name,
        tuple((arg, arg.is_list) for arg in op.inputs),
        tuple((attr, frozenset(map(int, allowed))) for attr, allowed in op.types.items()),
        tuple(attr.name for attr in op.attrs if attr.kind == "type"),
        outputs[0] if len(outputs) == 1 and not outputs[0].is_list and not op.refs else None,
    )


class Recorder:
    """Interprets op calls by adding them to one graph: an `Interpreter`."""

    is_function = False
    makes_variables = True
    follows_references = True  # False for nodes of a GraphDef, which say all of it themselves

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def seeds(self, op_seed: int | None) -> tuple[Any, Any]:
        """Return the graph's seed, and an op's own or the one it gets by its place in the graph."""
        if self.graph.seed is not None and op_seed is None:
            op_seed = self.graph.next_op_seed()
        return self.graph.seed, op_seed

    def make_variable(self, options: dict[str, Any]) -> Any:
        """Return a variable of this graph, made by `tf.Variable` of TensorFlow 2."""
        options.pop("experimental_enable_variable_lifting", None)
        options.pop("use_resource", None)  # a strategy asks for what it is anyway
        return lazy.ResourceVariable(**options)

    @property
    def control_flow(self) -> Any:
        """What control flow is in graphs."""
        return lazy.control_flow_api

    @property
    def tf1_nodes(self) -> Any:
        """What TensorFlow 1 writes down otherwise than TensorFlow 2."""
        return lazy.tf1_nodes

    def control_dependencies(self, control_inputs: TensorLike | None) -> Any:
        """Return a context in which operations wait for `control_inputs`."""
        return self.graph.control_dependencies(control_inputs)

    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> GraphTensor:
        """Add a constant that holds a host array."""
        kind = as_dtype(value.dtype) if dtype is None else as_dtype(dtype)
        return self._add_constant(value, kind, self._node_name(name or "Const"))

    def capture(self, tensor: Tensor, name: str | None) -> GraphTensor:
        """Return a tensor as operations of this graph may use it."""
        if type(tensor) is GraphTensor and tensor.op.graph is self.graph:
            return tensor
        return self._tensor(tensor, None, name or "Const")

    def group(self, inputs: TensorLike, name: str | None) -> Any:
        """Add an operation that runs after all inputs."""
        return group(self.graph, inputs, name)

    def with_control_inputs(self, tensors: Tensor, control_inputs: Any, name: str | None) -> Any:
        """Let each tensor be available only once all of them are."""
        return with_control_inputs(self.graph, tensors, control_inputs, name)

    def _add_constant(self, value: np.ndarray[Any, Any], dtype: DType, name: str) -> GraphTensor:
        operation = self.graph.add(
            graph_only.const.op,
            name,
            (),
            {"value": value, "dtype": dtype},
            [(dtype, tuple(value.shape))],
            user_line(),
        )
        output: GraphTensor = operation.outputs[0]
        return output

    def _node_name(self, name: str) -> str:
        if name.endswith("/"):  # the name of a scope just entered: used as it is
            return name[:-1]
        return self.graph.unique_name(checked(name))

    def run(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Add one operation and return its output, or a list of its outputs."""
        default_name, args, allowed_types, type_attrs, output = _form(op)
        # The name is taken before inputs are converted: a constant that is made of one is called
        # "name/argument", as TensorFlow calls it.
        node = self._node_name(name) if name else self.graph.unique_name(default_name)
        types: dict[str, Any] = {}
        arguments: list[Any] = []
        try:
            for index, value in enumerate(inputs):
                arg, is_list = args[index]
                if is_list:
                    arguments.append(self._list(op, arg, value, types, node))
                else:
                    arguments.append(self._one(op, arg, value, types, node, None))
        except (TypeError, ValueError):
            # Sparse and ragged inputs are no tensors: some say themselves what an op gives.
            answer = composite_result(op, inputs, attrs, name)
            if answer is NotImplemented:
                raise
            return answer
        for attr, allowed in allowed_types:
            # Numbers of dtypes: looking up an int in a set is quicker than a DType.
            dtype = types.get(attr)
            if type(dtype) is DType and dtype._enum not in allowed:
                raise self._not_allowed(op, attr, dtype, types)
        for attr in type_attrs:
            if attrs[attr] is not None:
                attrs[attr] = as_dtype(attrs[attr])
        # All that may raise comes before `graph.add`: a failed call adds no operation.
        check_graph_limits(op, arguments, attrs)
        spread = tuple(arguments)
        shapes = None if op.shape_rule is None else self._shapes(op, spread, attrs, node)
        if output is not None:
            outputs, counts = [(_output_type(output, attrs, types), _dims(shapes))], _ONE
        else:
            outputs, counts = self._outputs(op, spread, attrs, types, shapes)
        # An Assign must run where its variable is; TensorFlow colocates it, whatever scope is open.
        if op.refs and self.follows_references:
            with self._beside_references(op, spread):
                operation = self.graph.add(op, node, spread, attrs, outputs, user_line(1))
        else:
            operation = self.graph.add(op, node, spread, attrs, outputs, user_line(1))
        return _returned(operation, counts)

    @contextmanager
    def _beside_references(self, op: Op, spread: tuple[Any, ...]) -> Iterator[None]:
        """Put an op next to the variables it takes references to, whatever scope it is made in."""
        with ExitStack() as stack:
            for arg, item in zip(op.inputs, spread, strict=True):
                if arg.name in op.refs:
                    for tensor in item if type(item) is list else [item]:
                        if tensor.dtype._is_ref:
                            stack.enter_context(self.graph.colocate_with(tensor.op))
            yield

    def _list(
        self, op: Op, arg: Arg, value: TensorLike, types: dict[str, Any], node: str
    ) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected list for '{arg.name}' argument to '{op.name}' Op, not {value!r}."
            )
        if arg.is_type_list:
            tensors = [
                self._tensor(dims_of_each, None, f"{node}/{arg.name}_{i}")
                for i, dims_of_each in enumerate(value)
            ]
            types[arg.type_attr or ""] = [tensor.dtype for tensor in tensors]
            return tensors
        if arg.type_attr is not None and arg.type_attr not in types:
            known = [item.dtype for item in value if isinstance(item, (GraphTensor, EagerTensor))]
            if known:
                types[arg.type_attr] = known[0].base_dtype
            # For errors: which argument they name. None, if a tensor in the list decided the dtype.
            if value:
                types[f"{arg.type_attr} of"] = "" if known else arg.name
        return [
            self._one(op, arg, dims_of_each, types, node, f"{arg.name}_{index}")
            for index, dims_of_each in enumerate(value)
        ]

    def _one(
        self, op: Op, arg: Arg, value: Any, types: dict[str, Any], node: str, label: str | None
    ) -> GraphTensor:
        name, wanted, attr = arg[:3]
        if attr is not None:
            wanted = types.get(attr)
        if not isinstance(value, GraphTensor):
            value = self._converted(op, arg, value, wanted, f"{node}/{label or name}")
        dtype = value._dtype
        if dtype._is_ref:
            dtype = dtype.base_dtype
        if wanted is None:
            if attr is not None:
                types[attr] = dtype
        elif dtype is not wanted:
            raise self._mismatch(op, arg, dtype, wanted, types)
        return value if value.op.graph is self.graph else self._foreign(value, op.name)

    def _foreign(self, value: GraphTensor, user: str) -> GraphTensor:
        """Return what stands here for a tensor of another graph."""
        if (result := relocated(value, self.graph)) is not None:
            return result
        raise ValueError(
            hint(
                f"Tensor {value} must be from the same graph as the op {user!r} it is used in.",
                "build both under one `with graph.as_default():`, or pass the value through "
                "Session.run and feed_dict",
            )
        )

    def _known_now(self, value: EagerTensor, name: str) -> GraphTensor:
        """Return what stands here for a tensor that has its value already."""
        return self._add_constant(to_numpy(value._value), value.dtype, self._inner(name))

    def _mismatch(
        self, op: Op, arg: Arg, dtype: DType, wanted: DType, types: dict[str, Any]
    ) -> TypeError:
        if arg.type_attr is None:
            return TypeError(
                advised(
                    f"Input '{arg.name}' of '{op.name}' Op has type {dtype.name} that does not "
                    f"match expected type of {wanted.name}."
                )
            )
        first = _first(op, arg.type_attr, types)
        return TypeError(
            advised(
                f"Input '{arg.name}' of '{op.name}' Op has type {dtype.name} that does not match "
                f"type {wanted.name} of argument '{first}'."
            )
        )

    def _converted(self, op: Op, arg: Arg, value: Any, wanted: DType | None, name: str) -> Any:
        preferred = wanted
        if isinstance(value, (list, tuple)) and contains_tensor(value):
            if wanted is None and arg.name in op.host:
                wanted = host_type(value, op.types.get(arg.type_attr or ""))
            if wanted is not None:
                # The dtype that is needed is cast to, as when a list of tensors is converted.
                inside = name.removeprefix(self.graph.scopes.name)
                return convert_to_tensor(value, wanted, name=inside)
        # An integer for an op that takes floats and no int32 becomes float32, where TensorFlow
        # raises. An empty list is float32 by itself; for an op without float32 (a shape) it becomes
        # int32.
        if preferred is None and arg.type_attr is not None:
            allowed = op.types.get(arg.type_attr)
            if allowed is not None and dtypes.int32 not in allowed and dtypes.float32 in allowed:
                preferred = dtypes.float32
            elif allowed is not None and dtypes.float32 not in allowed and _is_empty(value):
                preferred = dtypes.int32 if dtypes.int32 in allowed else None
        return self._tensor(value, preferred, name)

    def _tensor(self, value: Any, preferred: DType | None, name: str) -> GraphTensor:
        if isinstance(value, GraphTensor):
            return value if value.op.graph is self.graph else self._foreign(value, name)
        if isinstance(value, EagerTensor):
            return self._known_now(value, name)
        nested = isinstance(value, (list, tuple)) and contains_tensor(value)
        if nested or hasattr(type(value), "__tf_tensor__"):
            with self._within(name) as inside:
                return cast(
                    "GraphTensor", convert_to_tensor(value, dtype_hint=preferred, name=inside)
                )
        if has_converter(value):
            with self._within(name) as inside:
                try:
                    return cast("GraphTensor", convert_to_tensor(value, preferred, name=inside))
                except (TypeError, ValueError):
                    return cast("GraphTensor", convert_to_tensor(value, name=inside))
        # The preferred dtype is a wish: a value that does not fit it keeps its own, and the caller
        # raises in TensorFlow's words.
        try:
            array = host_constant(value, preferred)
        except (TypeError, ValueError):
            array = host_constant(value, None)
        if array.size == 0 and preferred in dtypes.INDEX:
            array = array.astype(preferred.as_numpy_dtype)
        return self._add_constant(array, as_dtype(array.dtype), self._inner(name))

    @contextmanager
    def _within(self, full: str) -> Iterator[str]:
        """Let what converts an input be named below its operation; return the last name.

        A variable is read as "MatMul/ReadVariableOp", as in TensorFlow.
        """
        scope, slash, name = full.rpartition("/")
        with self.graph._changed(name=scope + slash):
            yield name

    def _inner(self, full: str) -> str:
        with self.graph._lock:
            return self.graph._names.unique(full)

    def _not_allowed(self, op: Op, attr: str, dtype: DType, types: dict[str, Any]) -> TypeError:
        first = _first(op, attr, types) or attr
        return TypeError(advised(str(not_allowed_in_graph(first, dtype, op.types[attr]))))

    def _shapes(self, op: Op, spread: tuple[Any, ...], attrs: dict[str, Any], node: str) -> Any:
        rule: Any = op.shape_rule
        statics: list[Any] = []
        for item in spread:
            if type(item) is list:
                statics.append([_static(one) for one in item])
            else:
                statics.append(_static(item))
        try:
            return rule(*statics, **attrs)
        except ValueError as problem:
            words = in_own_words(str(problem), op.name)
            raise _shape_error(words, op, spread, node) from None
        except (LookupError, ArithmeticError, AttributeError) as problem:
            words = stated(str(problem), op.name)
            raise _shape_error(words, op, spread, node) from problem

    def _outputs(
        self,
        op: Op,
        spread: tuple[Any, ...],
        attrs: dict[str, Any],
        types: dict[str, Any],
        shapes: Sequence[Any] | None,
    ) -> tuple[list[tuple[Any, Any]], list[int | None]]:
        """Return (dtype, shape) of each output, and how many of them make up each list."""
        described: list[tuple[Any, Any]] = []
        counts: list[int | None] = []
        for index, arg in enumerate(op.outputs):
            alone = len(op.outputs) == 1
            dims = shapes if shapes is None or alone else shapes[index]
            if not arg.is_list:
                kind = _output_type(arg, attrs, types)
                described.append((kind._as_ref if arg.name in op.refs else kind, _dims(dims)))
                counts.append(None)
                continue
            count = _count(arg, attrs, types, spread, op, dims)
            kinds = _output_types(arg, attrs, types, count)
            dims_of_each = dims if isinstance(dims, list) else [dims] * count
            described += [(kinds[i], _dims(dims_of_each[i])) for i in range(count)]
            counts.append(count)
        return described, counts


_ONE: list[int | None] = [None]
_CONSTANT = graph_only.const.op
_new_tuple: Any = tuple.__new__


def _first(op: Op, attr: str, types: dict[str, Any]) -> str:
    """Return the name of the input that sets a type attribute; none for a list of tensors."""
    listed: str | None = types.get(f"{attr} of")
    if listed is not None:
        return listed
    return next(arg.name for arg in op.inputs if arg.type_attr == attr and not arg.is_list)


def _is_empty(value: TensorLike) -> bool:
    return isinstance(value, (list, tuple)) and not value


def _shape_error(words: str, op: Op, spread: tuple[Any, ...], node: str) -> ValueError:
    """Return the error for shapes that an op cannot take, as TensorFlow writes it."""
    flat = [t for item in spread for t in (item if type(item) is list else [item])]
    shown = ", ".join("<unknown>" if t._dims is None else bracketed(t._dims) for t in flat)
    return ValueError(
        advised(f"{words} for '{node}' (op: '{op.name}') with input shapes: {shown}.")
    )


def _dims(dims: ShapeLike | None) -> Any:
    return dims._dims if isinstance(dims, TensorShape) else dims


def _output_type(arg: Arg, attrs: dict[str, Any], types: dict[str, Any]) -> DType:
    _, fixed, attr = arg[:3]
    if fixed is not None:
        return fixed
    result = attrs.get(attr or "") or types.get(attr or "")
    if not isinstance(result, DType):
        raise TypeError(f"the dtype of output '{arg.name}' is not known")
    return result


def _output_types(
    arg: Arg, attrs: dict[str, Any], types: dict[str, Any], count: int
) -> list[DType]:
    if arg.is_type_list:
        arguments = attrs.get(arg.type_attr or "") or types.get(arg.type_attr or "") or []
        return [as_dtype(item) for item in arguments]
    return [_output_type(arg, attrs, types)] * count


def _count(
    arg: Arg, attrs: dict[str, Any], types: dict[str, Any], spread: Any, op: Op, dims: Any
) -> int:
    if arg.is_type_list:
        return len(attrs.get(arg.type_attr or "") or types.get(arg.type_attr or "") or [])
    if arg.number_attr in attrs:
        return int(attrs[arg.number_attr])
    for arguments, item in zip(op.inputs, spread, strict=True):
        if arguments.number_attr == arg.number_attr and type(item) is list:
            return len(item)
    return len(dims)


def _static(tensor: GraphTensor) -> Static:
    op, dtype = tensor.op, tensor._dtype
    if op.declaration is _CONSTANT:
        return Static(tensor._dims, dtype, op.attrs["value"])
    # Shapes are computed from integers, in `tf.range(6.0)` converted to floats: of floats these
    # scalars alone are worth a question.
    if (dtype._kind != "f" or tensor._dims == ()) and static_values.is_followed(tensor):
        value = static_values.content(tensor)
        parts = static_values.parts(tensor) if value is None else None
        return Static(tensor._dims, dtype, value, parts)
    if dtype is dtypes.resource:
        return Static(tensor._dims, dtype, held=held_dims(op))
    kind = dtype.base_dtype if dtype._is_ref else dtype
    # Twice as fast as calling the class.
    static: Static = _new_tuple(Static, (tensor._dims, kind, None, None, None))
    return static


def held_dims(op: Operation) -> Dims:
    """Return the shape of the variable that an op makes or brings in; None if it is not known."""
    held = getattr(op, "handle_shape", None)
    if held is None and op.type == "VarHandleOp":  # a placeholder's shape is that of the handle
        held = op.attrs.get("shape")
    return None if held is None else TensorShape(held)._dims


def inferred_shapes(op: Operation, spread: tuple[Any, ...]) -> list[Any] | None:
    """Return the shapes of an operation's outputs on other inputs; None if nothing is known."""
    rule, args = op.declaration.shape_rule, op.declaration.outputs
    if rule is None:
        return None
    statics = [
        [_static(one) for one in item] if type(item) is list else _static(item) for item in spread
    ]
    try:
        shapes: Any = rule(*statics, **op.attrs)
    except Exception:
        return None  # it fails again when it runs, where the error belongs
    if len(args) == 1:
        shapes = [shapes]
    if shapes is None or len(shapes) != len(args):
        return None
    count = len(op.outputs) - len(args) + 1  # of the one output that is a list
    flat: list[Any] = []
    for arg, dims in zip(args, shapes, strict=True):
        if arg.is_list:
            flat += dims if isinstance(dims, list) else [dims] * count
        else:
            flat.append(dims)
    return [_dims(dims) for dims in flat] if len(flat) == len(op.outputs) else None


def constant_value(tensor: Tensor) -> Any:
    """Return the content of a tensor that is a constant, else None."""
    declaration = tensor.op.declaration
    if declaration is graph_only.const.op:
        return tensor.op.attrs["value"]
    return None


def _returned(operation: Operation, counts: list[int | None]) -> Any:
    """Return an operation's outputs as a caller sees them: one, several, or lists of them."""
    if counts is _ONE:
        return operation.outputs[0]
    if not counts:
        return operation
    result: list[Any] = []
    position = 0
    for count in counts:
        if count is None:
            result.append(operation.outputs[position])
            position += 1
        else:
            result.append(operation.outputs[position : position + count])
            position += count
    return result[0] if len(result) == 1 else result
