"""Small checks and helpers on tensors."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.core import dtypes
from placewise.graph.cond import case
from placewise.graph.defaults import get_default_graph
from placewise.layers.dropout import smart_cond as _smart_cond


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """Return the tensor; raise if it is known not to be one number."""
    with tf.name_scope(name or "assert_scalar"):
        tensor = tf.convert_to_tensor(tensor)
        if tensor.shape.rank not in (0, None):
            raise ValueError(
                f"{message or ''}Expected scalar shape for {tensor.name}, saw shape: "
                f"{tensor.shape}."
            )
        return tensor


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """Return the tensor; raise if it is not one whole number."""
    tensor = tf.convert_to_tensor(tensor)
    if not tensor.dtype.base_dtype.is_integer:
        raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype}.")
    return assert_scalar(tensor, name)


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Return the one float dtype that all tensors have."""
    expected = dtypes.as_dtype(dtype).base_dtype if dtype else None
    for tensor in tensors or ():
        found = tensor.dtype.base_dtype
        expected = expected or found
        if found is not expected:
            raise ValueError(
                f"Tensor type mismatch: {tensor.name} is {found}, expected {expected}."
            )
    expected = expected or dtypes.float32
    if not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected!s}.")
    return expected


def reduce_sum_n(tensors: Any, name: str | None = None) -> Any:
    """Return the sum of all elements of all tensors."""
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name or "reduce_sum_n"):
        sums = [tf.reduce_sum(each, name=f"{each.op.name}/sum") for each in tensors]
        return sums[0] if len(sums) == 1 else tf.add_n(sums)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Return the tensor with the shape it must have; a wrong one is an error."""
    tensor = tf.convert_to_tensor(tensor)
    if isinstance(expected_shape, (list, tuple, tf.TensorShape)):
        if not tensor.shape.is_compatible_with(expected_shape):
            raise ValueError(f"Tensor {tensor.name} shape {tensor.shape} is not {expected_shape}")
        return tf.ensure_shape(tensor, expected_shape)
    known = tf.get_static_value(expected_shape)
    if known is None:
        raise ValueError("with_shape: the expected shape must be known when the graph is built")
    return with_shape(list(known), tensor)


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Return the tensor with the shape of another."""
    return with_shape(tf.convert_to_tensor(expected_tensor).shape, tensor)


def is_tensor(x: Any) -> bool:
    """Return whether something is a tensor, a sparse tensor or a variable."""
    return bool(tf.is_tensor(x)) or isinstance(x, tf.Variable)


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """Return a sparse tensor as it is, all else as a tensor."""
    if isinstance(value, tf.SparseTensor):
        if dtype and not tf.as_dtype(dtype).is_compatible_with(value.dtype):
            raise RuntimeError(
                f"Sparse dtype: requested = {tf.as_dtype(dtype).name}, actual = {value.dtype.name}"
            )
        return value
    return tf.convert_to_tensor(value, dtype=dtype, name=name)


def get_graph_from_inputs(op_input_list: Any, graph: Any = None) -> Any:
    """Return the graph that inputs belong to."""
    if graph is not None:
        return graph
    owners = {each.graph for each in op_input_list if hasattr(each, "graph")}
    if len(owners) > 1:
        raise ValueError("inputs must be from the same graph")
    return owners.pop() if owners else get_default_graph()


def get_placeholders(graph: Any) -> list[Any]:
    """Return the outputs of all placeholders of a graph."""
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def get_name_scope() -> str:
    """Return the prefix in force, without the last slash."""
    with tf.name_scope("x") as inside:
        return inside.rsplit("/", 2)[0] if inside.count("/") > 1 else ""


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """Return a name under a scope."""
    return f"{import_scope.rstrip('/')}/{name}" if import_scope else name


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """Return a name without a scope it is under."""
    return name.removeprefix(f"{export_scope.rstrip('/')}/") if export_scope else name


def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    """Call one branch if the condition is known now, else let the graph choose."""
    if not callable(true_fn):
        raise TypeError("`true_fn` must be callable.")
    if not callable(false_fn):
        raise TypeError("`false_fn` must be callable.")
    return _smart_cond(pred, true_fn, false_fn)


def smart_constant_value(pred: Any) -> bool | None:
    """Return what a condition is, if it is known now."""
    if isinstance(pred, (bool, int)):
        return bool(pred)
    found = tf.get_static_value(pred)
    return None if found is None else bool(found)


def smart_case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, name: str = "smart_case"
) -> Any:
    """Call the first function whose condition is known to hold, else let the graph choose."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    known = [(smart_constant_value(pred), function) for pred, function in pairs]
    if all(value is not None for value, _ in known):
        chosen = [function for value, function in known if value]
        if chosen:
            return chosen[0]()
        if default is not None:
            return default()
    return case(pairs, default, exclusive, False, name)


def py_func(
    func: Any,
    args: Any = (),
    kwargs: Any = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Return what a Python function of nested tensors gives, as nested tensors."""
    nested = (list(args), dict(kwargs or {}))
    flat = tf.nest.flatten(nested)

    def call(*values: Any) -> Any:
        positional, named = tf.nest.pack_sequence_as(nested, values)
        return tf.nest.flatten(func(*positional, **named))

    made = tf.numpy_function(call, flat, tf.nest.flatten(output_types), name=name)
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    if output_shapes is not None:
        for tensor, shape in zip(made, tf.nest.flatten(output_shapes), strict=False):
            tensor.set_shape(shape)
    return tf.nest.pack_sequence_as(output_types, made)
