"""Signatures: which tensors of a graph are the inputs and outputs of what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.specs import type_spec_from_value
from placewise.saving import saved_model_names as names
from placewise.saving.saveable import is_eager
from placewise.saving.structured_values import decoded, encoded

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.operation import Operation


def build_tensor_info(tensor: Any) -> Any:
    """Return a tensor's name, dtype and shape as a TensorInfo message; of a sparse one, three."""
    if is_eager():
        raise RuntimeError(
            "`build_tensor_info` is not supported in eager execution. Please switch to graph mode."
        )
    if isinstance(tensor, Composite) and not isinstance(tensor, SparseTensor):
        made = messages.TensorInfo()
        spec = type_spec_from_value(tensor)
        made.composite_tensor.type_spec.CopyFrom(encoded(spec).type_spec_value)
        made.composite_tensor.components.extend(map(build_tensor_info, tensor._components()))
        return made
    made = messages.TensorInfo(
        dtype=as_dtype(tensor.dtype).base_dtype.as_datatype_enum,
        tensor_shape=tensor.get_shape().as_proto(),
    )
    if hasattr(tensor, "dense_shape") and hasattr(tensor, "indices"):
        made.coo_sparse.values_tensor_name = tensor.values.name
        made.coo_sparse.indices_tensor_name = tensor.indices.name
        made.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        made.name = tensor.name
    return made


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """Return the tensor that a TensorInfo message names."""
    graph = graph or get_default_graph()

    def found(name: str) -> Any:
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)

    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return found(tensor_info.name)
    if kind == "coo_sparse":
        parts = tensor_info.coo_sparse
        return SparseTensor(
            found(parts.indices_tensor_name),
            found(parts.values_tensor_name),
            found(parts.dense_shape_tensor_name),
        )
    if kind == "composite_tensor":
        value = messages.StructuredValue()
        value.type_spec_value.CopyFrom(tensor_info.composite_tensor.type_spec)
        parts = [found(part.name) for part in tensor_info.composite_tensor.components]
        return decoded(value).from_tensors(parts)
    raise ValueError(f"Invalid TensorInfo.encoding: {kind}")


def build_signature_def(
    inputs: Mapping[Any, Any] | None = None,
    outputs: Mapping[Any, Any] | None = None,
    method_name: str | None = None,
) -> Any:
    """Return a SignatureDef of TensorInfos by name."""
    made = messages.SignatureDef()
    for name, info in (inputs or {}).items():
        made.inputs[name].CopyFrom(info)
    for name, info in (outputs or {}).items():
        made.outputs[name].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def predict_signature_def(inputs: Mapping[Any, Any], outputs: Mapping[Any, Any]) -> Any:
    """Return the signature of a prediction: any inputs, any outputs."""
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(
        {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
        {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
        names.PREDICT_METHOD_NAME,
    )


def _examples(examples: Tensor, what: str) -> Any:
    if examples is None:
        raise ValueError(f"{what} examples cannot be None.")
    if not hasattr(examples, "dtype"):
        raise ValueError(f"{what} examples must be a string Tensor.")
    info = build_tensor_info(examples)
    if info.dtype != dtypes.string.as_datatype_enum:
        raise ValueError(f"{what} examples must be a string Tensor.")
    return info


def regression_signature_def(examples: Any, predictions: TensorLike) -> Any:
    """Return the signature of a regression: serialized examples in, numbers out."""
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    inputs = {names.REGRESS_INPUTS: _examples(examples, "Regression")}
    info = build_tensor_info(predictions)
    if info.dtype != dtypes.float32.as_datatype_enum:
        raise ValueError("Regression output must be a float Tensor.")
    outputs = {names.REGRESS_OUTPUTS: info}
    return build_signature_def(inputs, outputs, names.REGRESS_METHOD_NAME)


def classification_signature_def(examples: Any, classes: Any, scores: TensorLike) -> Any:
    """Return the signature of a classification: serialized examples in, classes or scores out."""
    inputs = {names.CLASSIFY_INPUTS: _examples(examples, "Classification")}
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    outputs = {}
    if classes is not None:
        info = build_tensor_info(classes)
        if info.dtype != dtypes.string.as_datatype_enum:
            raise ValueError("Classification classes must be a string Tensor.")
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = info
    if scores is not None:
        info = build_tensor_info(scores)
        if info.dtype != dtypes.float32.as_datatype_enum:
            raise ValueError("Classification scores must be a float Tensor.")
        outputs[names.CLASSIFY_OUTPUT_SCORES] = info
    return build_signature_def(inputs, outputs, names.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: Any) -> bool:
    """Return True if a signature is a classification, regression or prediction, and complete."""
    if signature_def is None:
        return False
    method = signature_def.method_name
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if method == names.PREDICT_METHOD_NAME:
        return bool(len(inputs) and len(outputs))
    string, number = dtypes.string.as_datatype_enum, dtypes.float32.as_datatype_enum
    if method == names.REGRESS_METHOD_NAME:
        return (
            set(inputs) == {names.REGRESS_INPUTS}
            and inputs[names.REGRESS_INPUTS].dtype == string
            and set(outputs) == {names.REGRESS_OUTPUTS}
            and outputs[names.REGRESS_OUTPUTS].dtype == number
        )
    if method == names.CLASSIFY_METHOD_NAME:
        allowed = {names.CLASSIFY_OUTPUT_CLASSES: string, names.CLASSIFY_OUTPUT_SCORES: number}
        return (
            set(inputs) == {names.CLASSIFY_INPUTS}
            and inputs[names.CLASSIFY_INPUTS].dtype == string
            and bool(outputs)
            and all(allowed.get(key) == info.dtype for key, info in outputs.items())
        )
    return False


def op_signature_def(op: Operation, key: str) -> Any:
    """Return the signature that names an operation to be run."""
    made = messages.SignatureDef()
    made.outputs[key].name = op.name
    made.outputs[key].tensor_shape.unknown_rank = True
    return made
