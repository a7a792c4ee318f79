"""Subgraphs as the bytes of a TensorFlow Lite model."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from placewise.lite.errors import ConverterError
from placewise.lite.package import litert
from placewise.lite.subgraph import Step, Subgraph, Value

_FILE_IDENTIFIER = b"TFL3"
_SCHEMA_VERSION = 3
_TYPED_FIELDS = ("outType", "outputType")


def to_bytes(subgraphs: list[Subgraph], signatures: bool = True) -> bytes:
    """Return the model that holds these functions, each under its name."""
    schema = litert("schema_py_generated")
    flatbuffers = importlib.import_module("flatbuffers")  # comes with ai-edge-litert
    model = _Model(schema)
    for subgraph in subgraphs:
        model.add(subgraph, signatures)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.message.Pack(builder), file_identifier=_FILE_IDENTIFIER)
    return bytes(builder.Output())


class _Model:
    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.message = schema.ModelT()
        self.message.version = _SCHEMA_VERSION
        self.message.description = "placewise converted."
        self.message.operatorCodes = []
        self.message.subgraphs = []
        self.message.buffers = [schema.BufferT()]  # the first one is empty by convention
        self.message.signatureDefs = []
        self.codes: dict[str, int] = {}

    def add(self, subgraph: Subgraph, signature: bool) -> None:
        writer = _SubgraphWriter(self, subgraph)
        if signature:
            message = self.schema.SignatureDefT()
            message.signatureKey = subgraph.name
            message.subgraphIndex = len(self.message.subgraphs)
            message.inputs = self._map(subgraph.inputs, writer.numbers)
            message.outputs = self._map(subgraph.outputs, writer.numbers)
            self.message.signatureDefs.append(message)
        self.message.subgraphs.append(writer.message)

    def _map(self, values: dict[str, Value], numbers: dict[int, int]) -> list[Any]:
        entries = []
        for name, value in values.items():
            entry = self.schema.TensorMapT()
            entry.name, entry.tensorIndex = name, numbers[id(value)]
            entries.append(entry)
        return entries

    def code(self, kind: str) -> int:
        if kind not in self.codes:
            message = self.schema.OperatorCodeT()
            message.builtinCode = getattr(self.schema.BuiltinOperator, kind)
            # Readers from before 127 operators look at the old field.
            message.deprecatedBuiltinCode = min(message.builtinCode, 127)
            message.version = _VERSIONS.get(kind, 1)
            self.codes[kind] = len(self.message.operatorCodes)
            self.message.operatorCodes.append(message)
        return self.codes[kind]

    def buffer(self, content: np.ndarray[Any, Any] | None) -> int:
        if content is None:
            return 0
        message = self.schema.BufferT()
        data = np.ascontiguousarray(content)
        message.data = np.frombuffer(data.tobytes(), np.uint8)
        self.message.buffers.append(message)
        return len(self.message.buffers) - 1

    def type(self, dtype: str) -> int:
        number = getattr(self.schema.TensorType, dtype.upper(), None)
        if number is None:
            raise ConverterError(f"TensorFlow Lite has no tensors of dtype {dtype}")
        return int(number)


class _SubgraphWriter:
    def __init__(self, model: _Model, subgraph: Subgraph) -> None:
        self.model, self.schema = model, model.schema
        self.message = model.schema.SubGraphT()
        self.message.name = subgraph.name
        self.message.tensors = []
        self.numbers: dict[int, int] = {}
        self.message.inputs = [self._number(value) for value in subgraph.inputs.values()]
        self.message.operators = [self._operator(step) for step in subgraph.steps]
        self.message.outputs = [self._number(value) for value in subgraph.outputs.values()]

    def _number(self, value: Value | None) -> int:
        if value is None:
            return -1
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.message.tensors)
            self.message.tensors.append(self._tensor(value))
        return self.numbers[id(value)]

    def _operand(self, value: Value | None) -> int:
        ready = value is None or value.content is not None or value.is_state
        if not ready and id(value) not in self.numbers:
            raise ConverterError(f"nothing computes {value.name if value else ''!r}")
        return self._number(value)

    def _tensor(self, value: Value) -> Any:
        message = self.schema.TensorT()
        message.name = value.name
        message.type = self.model.type(value.dtype)
        message.shape = [max(size, 1) if size < 0 else size for size in value.shape]
        message.hasRank = True
        if -1 in value.shape:
            message.shapeSignature = list(value.shape)
        message.buffer = self.model.buffer(value.content)
        message.isVariable = value.is_state
        if value.scales is not None:
            message.quantization = self.schema.QuantizationParametersT()
            message.quantization.scale = value.scales
            message.quantization.zeroPoint = np.zeros(len(value.scales), np.int64)
            message.quantization.quantizedDimension = value.scale_axis
        return message

    def _operator(self, step: Step) -> Any:
        message = self.schema.OperatorT()
        message.opcodeIndex = self.model.code(step.kind)
        message.inputs = [self._operand(value) for value in step.inputs]
        message.outputs = [self._number(value) for value in step.outputs]
        if step.options:
            message.builtinOptionsType = getattr(self.schema.BuiltinOptions, step.options)
            message.builtinOptions = getattr(self.schema, f"{step.options}T")()
            for name, setting in step.fields.items():
                typed = self.model.type(setting) if name in _TYPED_FIELDS else setting
                setattr(message.builtinOptions, name, typed)
        return message


# Versions of operators that older runtimes must know to run what is written here.
_VERSIONS = {"DEQUANTIZE": 3}
