"""`tf.lite.TFLiteConverter`: Keras models, saved models and functions as TensorFlow Lite models."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from placewise.core import nest
from placewise.core.dtypes import as_dtype
from placewise.functions.concrete import ConcreteFunction
from placewise.lite import quantization
from placewise.lite.flatbuffer import to_bytes
from placewise.lite.frozen_graph import FrozenGraph
from placewise.lite.fusion import fuse
from placewise.lite.lowering import arrays, einsum, elementwise, neural, recurrent
from placewise.lite.lowering.table import lower, value_like
from placewise.lite.options import OpsSet, Optimize, RepresentativeDataset, TargetSpec
from placewise.lite.subgraph import Subgraph, Value, constant
from placewise.saving.saved_model_load import load

TABLES = (arrays, einsum, elementwise, neural, recurrent)  # importing them filled the table
_DEFAULT_SIGNATURE = "serving_default"
_INT16 = OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8


class TFLiteConverter:
    """Converts functions to the bytes of a TensorFlow Lite model.

    `optimizations` with an entry quantizes: weights alone, or with `representative_dataset` all
    that has an integer kernel. `target_spec` says what the device knows. Conversion raises
    `ConverterError` for operations that TensorFlow Lite has no operator for.

    >>> square = tf.function(lambda x: x * x, input_signature=[tf.TensorSpec([2], tf.float32)])
    >>> function = square.get_concrete_function()
    >>> converter = tf.lite.TFLiteConverter.from_concrete_functions([function])
    >>> len(converter.target_spec.supported_ops)
    1
    """

    def __init__(self, funcs: Sequence[ConcreteFunction], trackable_obj: Any = None) -> None:
        self._functions = [(_DEFAULT_SIGNATURE, function) for function in funcs]
        self._trackable = trackable_obj
        self._names_results = False
        self._result_names: list[str] | None = None
        self.optimizations: Any = []
        self.representative_dataset: Any = None
        self.target_spec = TargetSpec()
        self.inference_input_type: Any = as_dtype("float32")
        self.inference_output_type: Any = as_dtype("float32")
        self.allow_custom_ops = False
        self.experimental_new_converter = True
        self.experimental_new_quantizer = True
        self.experimental_enable_resource_variables = True

    @classmethod
    def from_concrete_functions(
        cls, funcs: Sequence[ConcreteFunction], trackable_model: Any = None
    ) -> TFLiteConverter:
        """Return a converter of concrete functions; their variables become constants."""
        for function in funcs:
            if not isinstance(function, ConcreteFunction):
                raise ValueError(
                    "This function takes in a list of ConcreteFunction."
                    " If you have a tf.function, call its get_concrete_function first."
                )
        return cls(funcs, trackable_model)

    @classmethod
    def from_saved_model(
        cls, saved_model_dir: str, signature_keys: Any = None, tags: Any = None
    ) -> TFLiteConverter:
        """Return a converter of a saved model's signatures, or of those named."""
        loaded = load(saved_model_dir, tags)
        keys = list(signature_keys or loaded.signatures)
        for key in keys:
            if key not in loaded.signatures:
                known = ", ".join(loaded.signatures)
                raise ValueError(f"Invalid signature key '{key}' found. Valid keys are '{known}'.")
        converter = cls([], loaded)
        converter._functions = [(key, loaded.signatures[key]) for key in keys]
        converter._names_results = True
        return converter

    @classmethod
    def from_keras_model(cls, model: Any) -> TFLiteConverter:
        """Return a converter of a Keras model as it predicts."""
        with tempfile.TemporaryDirectory() as folder:
            model.export(folder, verbose=False)
            converter = cls.from_saved_model(folder, [_DEFAULT_SIGNATURE])
        converter._trackable = model
        return converter

    def convert(self) -> bytes:
        """Return the model; `tf.lite.Interpreter(model_content=...)` runs it."""
        if not self._functions:
            raise ValueError("No ConcreteFunction is specified.")
        subgraphs = [self._subgraph(name, function) for name, function in self._functions]
        if self._quantizes and self.representative_dataset is None:
            self._quantize_weights(subgraphs)
        model = to_bytes(subgraphs)
        if self._quantizes and self.representative_dataset is not None:
            return self._as_integers(model)
        return model

    @property
    def _quantizes(self) -> bool:
        return any(Optimize(option) is not Optimize.EXPERIMENTAL_SPARSITY for option in self._list)

    @property
    def _list(self) -> list[Any]:
        return list(self.optimizations or [])

    def _quantize_weights(self, subgraphs: list[Subgraph]) -> None:
        types = {as_dtype(dtype).name for dtype in self.target_spec.supported_types}
        if OpsSet.TFLITE_BUILTINS_INT8 in self.target_spec.supported_ops or "int8" in types:
            raise ValueError(
                "For full integer quantization, a `representative_dataset` must be specified."
            )
        for subgraph in subgraphs:
            if "float16" in types:
                quantization.store_as_float16(subgraph)
            else:
                quantization.quantize_weights(subgraph)

    def _as_integers(self, model: bytes) -> bytes:
        dataset = self.representative_dataset
        if isinstance(dataset, RepresentativeDataset):
            dataset = dataset.input_gen
        sets = set(self.target_spec.supported_ops)
        return quantization.to_integers(
            model,
            dataset,
            as_dtype(self.inference_input_type).name,
            as_dtype(self.inference_output_type).name,
            allow_float=OpsSet.TFLITE_BUILTINS in sets,
            activations="int16" if _INT16 in sets else "int8",
        )

    def _subgraph(self, name: str, function: ConcreteFunction) -> Subgraph:
        frozen = FrozenGraph(function)
        subgraph = Subgraph(name)
        values: dict[int, Value] = {}
        for tensor in frozen.arguments:
            value = value_like(tensor)
            key = tensor.op.name
            value.name = f"{name}_{key}:0" if self._names_results else key
            subgraph.inputs[key] = values[id(tensor)] = value
        lower(frozen, subgraph, values)
        named = _named_results(function)
        if self._result_names:
            named = list(zip(self._result_names, function.outputs, strict=True))
        for number, (key, result) in enumerate(named):
            tensor = frozen.results[id(result)]
            value = _returned(frozen, subgraph, tensor, values.get(id(tensor)))
            if self._names_results or self._result_names:
                value.name = f"StatefulPartitionedCall:{number}" if self._names_results else key
            subgraph.outputs[key] = value
        fuse(subgraph)
        return subgraph


def _named_results(function: ConcreteFunction) -> list[tuple[str, Any]]:
    """Return a function's results with the names a signature gives them."""
    structured = function.structured_tensors
    if isinstance(structured, dict):
        return [(name, structured[name]) for name in sorted(structured)]
    leaves = [leaf for leaf in nest.flatten(structured) if leaf is not None]
    return [(f"output_{number}", leaf) for number, leaf in enumerate(leaves)]


def _returned(frozen: FrozenGraph, subgraph: Subgraph, tensor: Any, value: Value | None) -> Value:
    """Return the output for a result; an argument or a constant is copied to one."""
    if value is not None and value.content is None and value not in subgraph.inputs.values():
        return value
    if value is None:
        value = constant(frozen.content(tensor), tensor.op.name)
    shape = constant(value.shape, f"{value.name}/shape", "int32")
    like = Value(f"{value.name}/output", value.dtype, value.shape)
    return subgraph.add("RESHAPE", [value, shape], like, "ReshapeOptions")
