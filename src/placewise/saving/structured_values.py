"""Nested Python structures as StructuredValue messages, and back."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from placewise import messages
from placewise.core import nest
from placewise.core.dtypes import DType, as_dtype
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.io.tensor_proto import make_ndarray, make_tensor_proto
from placewise.ops.linalg import operator_combined, operator_plain, operator_structured
from placewise.ops.linalg.operator import LinearOperator
from placewise.ops.linalg.operator_parameters import LinearOperatorSpec
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import TensorSpec, TypeSpec

# The numbers that TypeSpecProto has for the specs of values made of several tensors.
_CLASSES: dict[type, int] = {SparseTensorSpec: 1, RaggedTensorSpec: 3}
_REGISTERED = 12
_LINALG = "tf.linalg."


def encoded(value: Any) -> Any:
    """Return a structure of Python values, specs and tensors as a StructuredValue."""
    made = messages.StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        spec = made.tensor_spec_value
        spec.shape.CopyFrom(value.shape.as_proto())
        spec.dtype = value.dtype.as_datatype_enum
        spec.name = value.name or ""
    elif isinstance(value, LinearOperatorSpec):
        made.type_spec_value.CopyFrom(_encoded_operator(value))
    elif type(value) in _CLASSES:
        found = made.type_spec_value
        found.type_spec_class = _CLASSES[type(value)]
        found.type_spec_class_name = type(value).__name__
        found.num_flat_components = len(value._components())
        found.type_state.CopyFrom(encoded(tuple(value._serialize())))
    elif isinstance(value, Tensor):
        made.tensor_value.CopyFrom(make_tensor_proto(value.numpy()))
    elif isinstance(value, (np.ndarray, np.generic)):
        made.numpy_value.CopyFrom(make_tensor_proto(np.asarray(value)))
    elif hasattr(type(value), "_fields"):
        made.named_tuple_value.name = type(value).__name__
        for field in value._fields:
            pair = made.named_tuple_value.values.add(key=field)
            pair.value.CopyFrom(encoded(getattr(value, field)))
    elif isinstance(value, tuple):
        made.tuple_value.SetInParent()
        made.tuple_value.values.extend(encoded(each) for each in value)
    elif isinstance(value, list):
        made.list_value.SetInParent()
        made.list_value.values.extend(encoded(each) for each in value)
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        made.dict_value.SetInParent()
        for key, each in value.items():
            made.dict_value.fields[key].CopyFrom(encoded(each))
    else:
        raise TypeError(f"a SavedModel cannot hold this argument or result: {value!r}")
    return made


def _encoded_operator(spec: LinearOperatorSpec) -> Any:
    """Return what TensorFlow keeps of an operator: its tensors, and its other arguments."""
    kind, arguments = spec._serialize()
    if kind not in _operators().values():
        raise TypeError(f"a SavedModel cannot hold this argument or result: {spec!r}")
    arguments.pop("name", None)
    tensors = {name: value for name, value in arguments.items() if _has_specs(value)}
    others = {name: value for name, value in arguments.items() if name not in tensors}
    if others.get("batch_shape") is not None:
        others["batch_shape"] = TensorShape(others["batch_shape"])
    sizes = tuple(name for name in ("num_rows", "num_columns", "batch_shape") if name in others)
    made = messages.TypeSpecProto(
        type_spec_class=_REGISTERED,
        type_spec_class_name=f"{_LINALG}{kind.__name__}Spec",
        num_flat_components=len(spec._components()),
    )
    made.type_state.CopyFrom(encoded((tensors, others, sizes)))
    return made


def _has_specs(value: Any) -> bool:
    return any(isinstance(leaf, TypeSpec) for leaf in nest.flatten(value))


@functools.cache
def _operators() -> dict[str, Any]:
    """Return the public classes of operators, by the names that files have for their specs."""
    modules = (operator_combined, operator_plain, operator_structured)
    kinds = [value for module in modules for value in vars(module).values()]
    return {
        f"{_LINALG}{kind.__name__}Spec": kind
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, LinearOperator)
    }


def _decoded_operator(kind: Any, state: Any) -> LinearOperatorSpec:
    tensors, others, _ = state
    if others.get("batch_shape") is not None:
        others["batch_shape"] = others["batch_shape"].as_list()
    return LinearOperatorSpec(kind, {**tensors, **others})


def decoded(message: Any) -> Any:
    """Return the structure that a StructuredValue holds."""
    kind = message.WhichOneof("kind")
    value: Any = getattr(message, kind) if kind else None
    if kind in (None, "none_value"):
        return None
    if kind in ("float64_value", "string_value", "bool_value"):
        return value
    if kind == "int64_value":
        return int(value)
    if kind == "tensor_shape_value":
        return TensorShape(value)
    if kind == "tensor_dtype_value":
        return as_dtype(value)
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return TensorSpec(TensorShape(value.shape), as_dtype(value.dtype), value.name or None)
    if kind == "list_value":
        return [decoded(each) for each in value.values]
    if kind == "tuple_value":
        return tuple(decoded(each) for each in value.values)
    if kind == "dict_value":
        return {key: decoded(value.fields[key]) for key in sorted(value.fields)}
    if kind == "named_tuple_value":
        made: Any = namedtuple(value.name, [pair.key for pair in value.values])  # type: ignore[misc]  # its name is in the file
        return made(*(decoded(pair.value) for pair in value.values))
    if kind == "type_spec_value":
        kind_of_operator = _operators().get(value.type_spec_class_name)
        if kind_of_operator is not None:
            return _decoded_operator(kind_of_operator, decoded(value.type_state))
        for spec, number in _CLASSES.items():
            if value.type_spec_class == number:
                return spec(*decoded(value.type_state))
    if kind in ("tensor_value", "numpy_value"):
        return make_ndarray(value)
    raise TypeError(
        f"the SavedModel has an argument or result of a kind that placewise cannot read: {kind}"
    )
