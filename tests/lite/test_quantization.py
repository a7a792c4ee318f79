"""Quantized models are smaller and close to what they were made of."""

import numpy as np
import pytest

import placewise as tf
from tests.lite.test_converter import MODELS, interpreted, random, sequential

pytest.importorskip("ai_edge_litert")


@pytest.fixture
def model():
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    return sequential(
        (8, 8, 3),
        layers.Conv2D(16, 3, activation="relu"),
        layers.Flatten(),
        layers.Dense(32, activation="relu"),
        layers.Dense(10, activation="softmax"),
    )


def converter_of(model, **settings):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    for name, value in settings.items():
        setattr(converter, name, value)
    return converter


def test_weights_are_stored_as_bytes(model):
    plain = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    small = converter_of(model).convert()
    assert len(small) < len(plain) / 3
    batch = random(1, 8, 8, 3)
    np.testing.assert_allclose(interpreted(small, batch)[0], model(batch), atol=0.02)


def test_weights_are_stored_as_halves(model):
    plain = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    converter = converter_of(model)
    converter.target_spec.supported_types = [tf.float16]
    small = converter.convert()
    assert len(small) < len(plain) / 1.8
    batch = random(1, 8, 8, 3)
    np.testing.assert_allclose(interpreted(small, batch)[0], model(batch), atol=2e-3)


def samples():
    for seed in range(8):
        yield [np.random.RandomState(seed).randn(1, 8, 8, 3).astype(np.float32)]


def test_everything_is_stored_as_integers(model):
    converter = converter_of(model, representative_dataset=samples)
    result = interpreted(converter.convert(), random(1, 8, 8, 3))[0]
    np.testing.assert_allclose(result, model(random(1, 8, 8, 3)), atol=0.05)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.uint8
    interpreter = tf.lite.Interpreter(model_content=converter.convert())
    interpreter.allocate_tensors()
    given, returned = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    assert given["dtype"] is returned["dtype"] is np.uint8
    scale, zero = given["quantization"]
    batch = np.clip(np.round(random(1, 8, 8, 3) / scale) + zero, 0, 255).astype(np.uint8)
    interpreter.set_tensor(given["index"], batch)
    interpreter.invoke()
    scale, zero = returned["quantization"]
    numbers = (interpreter.get_tensor(returned["index"]).astype(np.float32) - zero) * scale
    np.testing.assert_allclose(numbers, model(random(1, 8, 8, 3)), atol=0.05)


def test_integers_need_samples(model):
    converter = converter_of(model)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    with pytest.raises(ValueError, match="a `representative_dataset` must be specified"):
        converter.convert()


def test_what_the_quantizer_refuses_says_what_to_do():
    odd = MODELS["lstm"]()
    converter = converter_of(odd, representative_dataset=lambda: [[random(1, 6, 3)]])
    with pytest.raises(Exception, match="convert without representative_dataset"):
        converter.convert()
