"""Estimators of Keras models, with TensorFlow 1.15.5's losses and predictions."""

import os

import numpy as np
import pytest

import placewise.compat.v1 as tf

X = np.random.RandomState(0).rand(8, 2).astype(np.float32)
Y = (X.sum(1) > 1).astype(np.float32)[:, None]
WEIGHTS = (
    [[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]],
    [0, 0, 0],
    [1, 1, 1],
    [0, 0, 0],
    [0, 0, 0],
    [1, 1, 1],
    [[0.7], [-0.8], [0.9]],
    [0],
)


@pytest.fixture
def model(graph_mode):
    """A compiled network with weights of its own."""
    return _network(tf.keras.optimizers.Adam(0.01))


def _network(optimizer):
    layers = tf.keras.layers
    network = tf.keras.Sequential(
        [
            tf.keras.Input((2,), name="d1_input"),
            layers.Dense(3, activation="tanh", name="d1"),
            layers.BatchNormalization(name="bn"),
            layers.Dense(1, activation="sigmoid", name="d2"),
        ]
    )
    network.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    network.set_weights([np.array(each, np.float32) for each in WEIGHTS])
    return network


def _input_fn():
    return tf.data.Dataset.from_tensor_slices(({"d1_input": X}, Y)).batch(4)


def _estimator(model, folder, **options):
    return tf.keras.estimator.model_to_estimator(model, model_dir=str(folder), **options)


def _train(estimator):
    """Train six steps, going on twice from checkpoints."""
    estimator.train(_input_fn)
    estimator.train(_input_fn, steps=1)
    estimator.train(lambda: _input_fn().repeat(5), max_steps=6)


def test_training_and_predictions_are_those_of_tensorflow(model, tmp_path):
    estimator = _estimator(model, tmp_path)
    first = estimator.evaluate(_input_fn)
    assert first == pytest.approx({"acc": 0.375, "loss": 0.752053, "global_step": 0}, abs=1e-5)
    _train(estimator)
    last = estimator.evaluate(_input_fn)
    assert last == pytest.approx({"acc": 0.5, "loss": 0.665476, "global_step": 6}, abs=2e-5)
    predicted = next(estimator.predict(_input_fn))["d2"]
    np.testing.assert_allclose(predicted, [0.505850], atol=1e-5)
    moments = estimator.get_variable_value("training/Adam/d1/kernel/m").ravel()
    np.testing.assert_allclose(moments[:3], [0.033333, 0.068978, -0.077029], atol=1e-5)
    assert {"d1/kernel", "bn/moving_mean", "global_step"} <= set(estimator.get_variable_names())
    np.testing.assert_allclose(model.get_weights()[0], WEIGHTS[0])  # the model keeps its own


def test_checkpoints_by_layers(graph_mode, tmp_path):
    sgd = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    estimator = _estimator(_network(sgd), tmp_path, checkpoint_format="checkpoint")
    _train(estimator)
    assert estimator.evaluate(_input_fn)["loss"] == pytest.approx(0.329761, abs=1e-5)
    value = "/.ATTRIBUTES/VARIABLE_VALUE"
    gamma = estimator.get_variable_value(f"layer_with_weights-1/gamma{value}")
    np.testing.assert_allclose(gamma, [1.268532, 0.746787, 0.723222], atol=1e-5)
    slot = f"layer_with_weights-2/bias/.OPTIMIZER_SLOT/optimizer/momentum{value}"
    assert estimator.get_variable_value(slot) == pytest.approx(0.131481, abs=1e-5)
    assert estimator.get_variable_value(f"estimator_global_step{value}") == 6


def test_several_outputs_and_regularization(graph_mode):
    keras = tf.keras
    ends = [keras.Input((2,), name="a"), keras.Input((2,), name="b")]
    joined = keras.layers.concatenate(ends)
    number = keras.layers.Dense(1, name="p", kernel_initializer="ones")(joined)
    kind = keras.layers.Dense(2, name="q", activation="softmax", kernel_initializer="ones")(joined)
    model = keras.Model(ends, [number, kind])
    model.compile(
        "sgd",
        {"p": "mse", "q": "categorical_crossentropy"},
        metrics={"p": ["mae"], "q": ["accuracy"]},
        loss_weights={"p": 0.3, "q": 0.7},
    )

    def input_fn():
        labels = {"p": Y, "q": np.concatenate([Y, 1 - Y], 1)}
        return tf.data.Dataset.from_tensor_slices(({"a": X, "b": X * 2}, labels)).batch(4)

    estimator = keras.estimator.model_to_estimator(model)
    estimator.train(input_fn)
    expected = {"global_step": 2, "loss": 2.4135075, "p_mean_absolute_error": 2.4088507}
    assert estimator.evaluate(input_fn) == pytest.approx({**expected, "q_acc": 0.875}, abs=1e-5)
    predicted = next(estimator.predict(input_fn))
    np.testing.assert_allclose(predicted["p"], [3.639854], atol=1e-5)
    np.testing.assert_allclose(predicted["q"], [0.514729, 0.485271], atol=1e-5)


def test_weights_of_cases(graph_mode, tmp_path):
    def input_fn():
        features = {"features": {"d1_input": X}, "sample_weights": np.arange(8, dtype=np.float32)}
        return tf.data.Dataset.from_tensor_slices((features, Y)).batch(4)

    estimator = _estimator(_network("sgd"), tmp_path)
    estimator.train(input_fn)
    expected = {"acc": 0.375, "global_step": 2, "loss": 2.4165225}
    assert estimator.evaluate(input_fn) == pytest.approx(expected, abs=1e-5)


def test_a_model_of_the_programs_own_class(graph_mode):
    class Own(tf.keras.Model):
        """One dense layer."""

        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, activation="sigmoid", kernel_initializer="ones")

        def call(self, inputs):
            """Return the layer's outputs."""
            return self.dense(inputs)

    model = Own()
    model.compile("sgd", "binary_crossentropy", metrics=["acc"])
    estimator = tf.keras.estimator.model_to_estimator(model)
    features = lambda: tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)  # noqa: E731
    estimator.train(features)
    expected = {"acc": 0.875, "global_step": 2, "loss": 0.31165838}
    assert estimator.evaluate(features) == pytest.approx(expected, abs=1e-5)
    np.testing.assert_allclose(next(estimator.predict(features))["output_1"], [0.780639], atol=1e-5)
    with pytest.raises(ValueError, match="not supported with subclassed models"):
        tf.keras.estimator.model_to_estimator(model, checkpoint_format="checkpoint")


def test_exported_models_serve(model, tmp_path):
    estimator = _estimator(model, tmp_path)
    estimator.train(_input_fn)

    def receiver():
        features = {"d1_input": tf.placeholder(tf.float32, [None, 2])}
        return tf.estimator.export.ServingInputReceiver(features, features)

    path = estimator.export_saved_model(str(tmp_path / "served"), receiver)
    serve = tf.contrib.predictor.from_saved_model(os.fsdecode(path))
    expected = [each["d2"] for each in estimator.predict(_input_fn)]
    np.testing.assert_allclose(serve({"d1_input": X})["d2"], expected, atol=1e-6)


def test_what_it_refuses(model):
    make = tf.keras.estimator.model_to_estimator
    with pytest.raises(ValueError, match="Either `keras_model` or `keras_model_path` needs"):
        make()
    with pytest.raises(ValueError, match="but not both"):
        make(model, "model.h5")
    with pytest.raises(ValueError, match=r'must be one of "checkpoint" or "saver"\. Got x'):
        make(model, checkpoint_format="x")
    plain = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="has not been compiled yet"):
        make(plain)
    wrong = lambda: tf.data.Dataset.from_tensors(({"x": X}, Y))  # noqa: E731
    with pytest.raises(KeyError, match="does not have the expected inputs keys"):
        make(model).train(wrong)
