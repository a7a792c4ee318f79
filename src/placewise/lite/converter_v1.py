"""`tf.lite.TFLiteConverter` of TensorFlow 1, which converts sessions and frozen graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from placewise import messages
from placewise.core import environment, keras_hooks
from placewise.functions.wrap_function import WrappedFunction, wrap_function
from placewise.graph.graph_def import import_graph_def
from placewise.lite.converter import TFLiteConverter as TFLiteConverterV2
from placewise.lite.options import Optimize
from placewise.saving.frozen_graphs import convert_variables_to_constants


class TFLiteConverter(TFLiteConverterV2):
    """Converts graphs whose variables are constants; inputs and outputs are named as in them."""

    post_training_quantize = property(
        lambda self: Optimize.DEFAULT in self.optimizations,
        lambda self, value: setattr(self, "optimizations", [Optimize.DEFAULT] if value else []),
        doc="Are weights stored as int8? The same as Optimize.DEFAULT.",
    )

    @classmethod
    def from_session(
        cls, sess: Any, input_tensors: Sequence[Any], output_tensors: Sequence[Any]
    ) -> TFLiteConverter:
        """Return a converter of a session's graph, with its variables as they are now."""
        names = [tensor.op.name for tensor in output_tensors]
        graph_def = convert_variables_to_constants(sess, sess.graph.as_graph_def(), names)
        feeds = {tensor.name: tensor.shape.as_list() for tensor in input_tensors}
        return cls._from_graph(graph_def, feeds, [tensor.name for tensor in output_tensors])

    @classmethod
    def from_frozen_graph(
        cls,
        graph_def_file: str,
        input_arrays: Sequence[str],
        output_arrays: Sequence[str],
        input_shapes: dict[str, Any] | None = None,
    ) -> TFLiteConverter:
        """Return a converter of a GraphDef's file, between tensors of these names."""
        graph_def = messages.GraphDef()
        graph_def.ParseFromString(Path(graph_def_file).read_bytes())
        shapes = input_shapes or {}
        feeds = {_tensor_name(name): shapes.get(name) for name in input_arrays}
        return cls._from_graph(graph_def, feeds, [_tensor_name(name) for name in output_arrays])

    @classmethod
    def from_keras_model_file(cls, model_file: str) -> TFLiteConverterV2:
        """Return a converter of a Keras model's file."""
        load_model = keras_hooks.registered("load_model")
        if load_model is not None and environment.read("TF_USE_LEGACY_KERAS"):
            return cls.from_keras_model(load_model(model_file))
        import keras  # noqa: PLC0415 - slow to import

        return cls.from_keras_model(keras.saving.load_model(model_file))

    @classmethod
    def _from_graph(
        cls, graph_def: Any, feeds: dict[str, Any], fetches: list[str]
    ) -> TFLiteConverter:
        for node in graph_def.node:
            shape = feeds.get(f"{node.name}:0")
            if node.op == "Placeholder" and shape is not None:
                _set_shape(node, shape)

        def imported() -> None:
            import_graph_def(graph_def, name="")

        whole = wrap_function(imported, [])
        tensors = [whole.graph.get_tensor_by_name(name) for name in feeds]
        results = [whole.graph.get_tensor_by_name(name) for name in fetches]
        function: WrappedFunction = whole.prune(tensors, results)
        converter = cls([function])
        converter._result_names = [name.removesuffix(":0") for name in fetches]
        return converter

    def get_input_arrays(self) -> list[str]:
        """Return the names of the inputs."""
        return [
            tensor.op.name
            for _, function in self._functions
            for tensor in function.inputs[: len(function.inputs) - len(function.captured_inputs)]
        ]


def _tensor_name(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _set_shape(node: Any, shape: Any) -> None:
    proto = node.attr["shape"].shape
    proto.Clear()
    for size in shape:
        proto.dim.add().size = -1 if size is None else size
