"""`create_training_graph`, `create_eval_graph`: fake quantization in all layers of a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

from placewise.contrib.quantize.folding import Folded, fold
from placewise.contrib.quantize.ranges import Settings, quantized_activation, quantized_weights
from placewise.contrib.quantize.rewiring import (
    ADDING,
    LAYERS,
    PASSING,
    RECTIFYING,
    Consumers,
    context_of,
    is_variable,
)
from placewise.graph.defaults import get_default_graph

_MULTIPLYING = ADDING | {"Mul"}


def create_training_graph(input_graph: Any = None, quant_delay: int = 0) -> None:
    """Rewrite a graph so that it trains for 8-bit inference: weights and activations are rounded.

    Batch normalizations are folded into the weights before them. Call it when the loss is made, and
    before gradients are: an operation reads the rounded values afterwards.

    `input_graph`: the graph; by default the default graph.
    `quant_delay`: from which step on values are rounded. Until then ranges are learned only.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.compat.v1.placeholder(tf.float32, [2, 4])
    ...     w = tf.compat.v1.get_variable("w", [4, 3])
    ...     y = tf.nn.relu(tf.matmul(x, w))
    ...     create_training_graph()
    ...     [op.name for op in graph.get_operations() if op.type == "FakeQuantWithMinMaxVars"]
    ['weights_quant/FakeQuantWithMinMaxVars', 'act_quant/FakeQuantWithMinMaxVars']
    """
    _rewrite(input_graph, Settings(True, delay=quant_delay))


def create_eval_graph(input_graph: Any = None) -> None:
    """Rewrite a graph so that it infers with the ranges that training with 8 bits learned.

    `input_graph`: the graph; by default the default graph. Its variables have the names of those
    that `create_training_graph` makes, so that a checkpoint of training can be restored.
    """
    _rewrite(input_graph, Settings(False))


def experimental_create_training_graph(
    input_graph: Any = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrite a graph so that it trains for inference with few bits.

    `input_graph`, `quant_delay`: as of `create_training_graph`.
    `weight_bits`, `activation_bits`: how many bits hold a number.
    `symmetric`: let ranges reach as far below zero as above.
    `freeze_bn_delay`: from which step on batch normalizations use moving averages, which then stay.
    `scope`: leave operations alone whose names do not begin with it.
    """
    settings = Settings(True, weight_bits, activation_bits, symmetric, quant_delay, scope)
    _rewrite(input_graph, settings, freeze_bn_delay)


def experimental_create_eval_graph(
    input_graph: Any = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrite a graph so that it infers with few bits.

    The arguments are those of `experimental_create_training_graph`.
    """
    settings = Settings(False, weight_bits, activation_bits, symmetric, quant_delay, scope)
    _rewrite(input_graph, settings)


def _rewrite(graph: Any, settings: Settings, freeze_delay: int | None = None) -> None:
    graph = graph or get_default_graph()
    with graph.as_default():
        consumers = Consumers(graph)
        folded = fold(consumers, graph, settings.is_training, freeze_delay)
        _Quantizer(graph, settings, folded).run()


class _Layer(NamedTuple):
    """A layer with what comes behind it: a bias, a sum that goes around it, an activation."""

    operation: Any
    biased: Any  # its output, with the bias
    bypass: Any
    activation: Any  # the tensor


class _Quantizer:
    """One pass over a graph."""

    def __init__(self, graph: Any, settings: Settings, folded: dict[Any, Folded]) -> None:
        self._graph, self._settings, self._folded = graph, settings, folded
        self._consumers = Consumers(graph)
        self._done: dict[int, Any] = {}  # by the tensor
        self._made: set[int] = set()  # what stands for them
        self._claimed: set[int] = set()  # activations of sums: the first of two layers has it

    def run(self) -> None:
        """Quantize layers, and the sums and products of what they return."""
        operations = list(self._graph.get_operations())
        found = (self._layer(op) for op in operations if op.type in LAYERS)
        for layer in [layer for layer in found if layer is not None]:
            self._quantize(layer)
        for operation in operations:
            if operation.type in _MULTIPLYING:
                self._quantize_combination(operation)

    def _layer(self, operation: Any) -> _Layer | None:
        weights = operation.inputs[1]
        folded = self._folded.get(operation)
        if folded is None and not is_variable(weights):
            return None
        output = folded.output if folded else self._biased(operation.outputs[0])
        is_biased = folded is not None or output.op is not operation
        readers = self._consumers.of(output)
        activations = [op for op in readers if op.type in RECTIFYING or op.type == "Identity"]
        if activations:
            return _Layer(operation, output, None, activations[-1].outputs[0])
        for reader in readers:
            further = self._consumers.of(reader.outputs[0]) if reader.type in ADDING else []
            rectified = [op for op in further if op.type in RECTIFYING]
            # By identity: `in` would compare elements where tensors are compared so.
            if rectified and rectified[-1].id not in self._claimed:
                self._claimed.add(rectified[-1].id)
                return _Layer(operation, output, reader, rectified[-1].outputs[0])
        if is_biased or any(op.type in LAYERS for op in readers):
            return _Layer(operation, output, None, output)
        return None

    def _biased(self, tensor: Any) -> Any:
        """Return what a layer's output is with the bias; itself without one."""
        for reader in self._consumers.of(tensor):
            if reader.type == "BatchToSpaceND":
                return self._biased(reader.outputs[0])
            is_sum = reader.type in ADDING and any(
                other is not tensor and is_variable(other) for other in reader.inputs
            )
            if reader.type == "BiasAdd" or is_sum:
                return reader.outputs[0]
        return tensor

    def _quantize(self, layer: _Layer) -> None:
        context = context_of(layer.operation)
        weights = layer.operation.inputs[1]
        readers = [layer.operation]
        self._insert(weights, readers, lambda: quantized_weights(weights, context, self._settings))
        if layer.bypass is not None:
            self._insert_activation(layer.biased, context, "conv_quant")
            context = context_of(layer.bypass)
        readers = self._consumers.of(layer.activation)
        self._insert_activation(layer.activation, context, "act_quant")
        sums = [op for op in readers if op.type in ADDING]
        if layer.activation is not layer.biased and sums and not self._is_rectified(sums[0]):
            name = "post_activation_bypass_quant"
            self._insert_activation(sums[0].outputs[0], context_of(sums[0]), name)

    def _quantize_combination(self, operation: Any) -> None:
        """Quantize a sum or product of what is quantized, unless an activation comes next."""
        if self._is_rectified(operation):
            return
        if any(self._is_quantized(tensor) for tensor in operation.inputs):
            name = f"activation_{operation.type}_quant"
            self._insert_activation(operation.outputs[0], operation.name, name)

    def _is_rectified(self, operation: Any) -> bool:
        readers = self._consumers.of(operation.outputs[0])
        return bool(readers) and all(op.type in RECTIFYING for op in readers)

    def _is_quantized(self, tensor: Any) -> bool:
        while id(tensor) not in self._made:
            if tensor.op.type not in PASSING:
                return False
            tensor = tensor.op.inputs[0]
        return True

    def _insert_activation(self, tensor: Any, context: str, name: str) -> None:
        readers = self._consumers.of(tensor)
        self._insert(
            tensor, readers, lambda: quantized_activation(tensor, context, name, self._settings)
        )

    def _insert(self, tensor: Any, readers: list[Any], quantized: Any) -> None:
        scope = self._settings.scope
        if scope is not None and not tensor.op.name.startswith(scope):
            return
        if id(tensor) not in self._done:
            self._done[id(tensor)] = quantized()
            self._made.add(id(self._done[id(tensor)]))
        self._consumers.reroute(tensor, self._done[id(tensor)], readers)
