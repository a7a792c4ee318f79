"""Smaller models: weights as int8 or float16, or everything as integers."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from placewise.lite.errors import ConverterError
from placewise.lite.fusion import CHANNEL_AXES
from placewise.lite.package import litert
from placewise.lite.subgraph import Step, Subgraph, Value

# TensorFlow leaves weights alone that have fewer elements.
_WORTH_QUANTIZING = 1024
_HYBRID = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")


def quantize_weights(subgraph: Subgraph) -> None:
    """Store large weights as int8, one scale a channel; the kernels compute with both."""
    for step in subgraph.steps:
        if step.kind not in _HYBRID or step.inputs[1] is None:
            continue
        weights = step.inputs[1].content
        if weights is not None and weights.size >= _WORTH_QUANTIZING:
            axis = CHANNEL_AXES[step.kind]
            step.inputs[1] = _as_int8(step.inputs[1].name, weights, axis)
            if step.kind == "FULLY_CONNECTED":
                step.fields["asymmetricQuantizeInputs"] = True


def _as_int8(name: str, weights: np.ndarray[Any, Any], axis: int) -> Value:
    others = tuple(other for other in range(weights.ndim) if other != axis)
    largest = np.abs(weights).max(axis=others, keepdims=True)
    scales = (np.where(largest == 0, 1, largest) / 127).astype(np.float32)
    content = np.clip(np.round(weights / scales), -127, 127).astype(np.int8)
    return Value(name, "int8", weights.shape, content, scales.reshape(-1), axis)


def store_as_float16(subgraph: Subgraph) -> None:
    """Store float constants as float16; an operator makes float32 of each."""
    made: dict[int, Value] = {}
    widening: list[Step] = []
    for step in subgraph.steps:
        for index, value in enumerate(step.inputs):
            if value is None or value.content is None or value.dtype != "float32":
                continue
            if id(value) not in made:
                limits = np.finfo(np.float16)
                small = np.clip(value.content, limits.min, limits.max).astype(np.float16)
                stored = Value(value.name, "float16", value.shape, small)
                made[id(value)] = Value(f"{value.name}/dequantize", "float32", value.shape)
                widening.append(
                    Step("DEQUANTIZE", [stored], [made[id(value)]], "DequantizeOptions")
                )
            step.inputs[index] = made[id(value)]
    subgraph.steps = widening + subgraph.steps


def to_integers(
    model: bytes,
    dataset: Callable[[], Iterable[Any]],
    input_type: str,
    output_type: str,
    allow_float: bool,
    activations: str,
) -> bytes:
    """Return a model whose tensors are integers, with ranges as the dataset shows them.

    The quantizer of ai-edge-litert ends its process on some models: it has one of its own.
    """
    names = _input_order(model)
    samples = [_arrays(sample, names) for sample in dataset()]
    if not samples:
        raise RuntimeError("The representative_dataset gave no sample")
    bias = "int64" if activations == "int16" else "int32"
    # The calibrator names dtypes by NumPy's numbers.
    numbers = [np.dtype(name).num for name in (input_type, output_type, activations, bias)]
    request = pickle.dumps((model, samples, numbers, allow_float))
    done = subprocess.run(
        [sys.executable, "-c", _QUANTIZE], input=request, capture_output=True, check=False
    )
    if done.returncode:
        problem = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        raise ConverterError(_REFUSED.format(problem or f"it ended with {done.returncode}"))
    return done.stdout


_REFUSED = (
    "The quantizer of ai-edge-litert cannot quantize the activations of this model: {}\n"
    "  convert without representative_dataset, which quantizes the weights alone"
)
_QUANTIZE = """
import pickle, sys
from ai_edge_litert import _pywrap_tensorflow_lite_calibration_wrapper as calibration
model, samples, (first, last, inner, sums), allow_float = pickle.load(sys.stdin.buffer)
calibrator = calibration.CalibrationWrapper(model, [], [])
calibrator.Prepare([list(array.shape) for array in samples[0]])
for sample in samples:
    calibrator.FeedTensor(sample)
result = calibrator.QuantizeModel(first, last, allow_float, inner, sums, False, False)
# Some models are quantized and cannot be run: they are run once here.
from ai_edge_litert.interpreter import Interpreter
interpreter = Interpreter(model_content=bytes(result))
for detail, array in zip(interpreter.get_input_details(), samples[0]):
    interpreter.resize_tensor_input(detail["index"], array.shape)
interpreter.allocate_tensors()
for detail, array in zip(interpreter.get_input_details(), samples[0]):
    interpreter.set_tensor(detail["index"], array.astype(detail["dtype"]))
interpreter.invoke()
sys.stdout.buffer.write(bytes(result))
"""


def _input_order(model: bytes) -> list[str]:
    """Return the names of a model's inputs, in its order."""
    interpreter = litert("interpreter").Interpreter(model_content=model)
    details = interpreter.get_signature_runner().get_input_details()
    return sorted(details, key=lambda name: int(details[name]["index"]))


def _arrays(sample: Any, names: list[str]) -> list[np.ndarray[Any, Any]]:
    """Return a sample's arrays in the order of the model's inputs."""
    if isinstance(sample, dict):
        sample = [sample[name] for name in names]
    return [np.asarray(tensor) for tensor in sample]
