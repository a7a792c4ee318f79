"""tf.keras in programs of TensorFlow 1: layers on placeholders, and `fit` among sessions."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from tests.keras.models_for_tests import numbers

# Keras's variables have the older form of `__array__`.
pytestmark = [
    pytest.mark.usefixtures("graph_mode"),
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]


def test_layers_on_placeholders_train_in_a_session() -> None:
    x = tf.placeholder(tf.float32, [None, 4])
    hidden = tf.keras.layers.Dense(8, activation="relu")(x)
    loss = tf.reduce_mean(tf.square(tf.keras.layers.Dense(2)(hidden) - 1.0))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert len(tf.trainable_variables()) == 4
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        given = {x: numbers(6, 4, seed=0)}
        before = session.run(loss, given)
        for _ in range(20):
            session.run(train, given)
        assert session.run(loss, given) < before / 2


def test_a_session_gives_the_value_of_a_layers_variable() -> None:
    layer = tf.keras.layers.Dense(3)
    made = layer(tf.placeholder(tf.float32, [None, 2]))
    assert made.shape.as_list() == [None, 3]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(layer.kernel).shape == (2, 3)


def test_fit_changes_what_the_session_holds() -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((4,)), layers.Dropout(0.1), layers.Dense(1)])
    model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
    x = numbers(32, 4, seed=0)
    y = x.sum(1, keepdims=True) * 10
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(model.layers[-1].kernel)
        losses = model.fit(x, y, epochs=6, verbose=0).history["loss"]
        after = session.run(model.layers[-1].kernel)
        assert losses[-1] < losses[0]
        assert not np.array_equal(before, after)
        np.testing.assert_array_equal(model.get_weights()[0], after)
        assert model.predict(x, verbose=0).shape == (32, 1)


def test_a_loaded_model_is_compiled_as_it_was(tmp_path) -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((4,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    assert loaded.loss == "mse"
    x = numbers(8, 4, seed=0)
    assert loaded.evaluate(x, x[:, :1], verbose=0) > 0


@pytest.mark.parametrize("name", ["GRU", "LSTM", "SimpleRNN"])
@pytest.mark.parametrize("steps", [3, None])
def test_recurrent_layers_take_placeholders_of_any_length(name, steps) -> None:
    # Keras asks shapes for numbers and None, also where programs get objects from them.
    tf.enable_v2_tensorshape() if steps else tf.disable_v2_tensorshape()
    x = tf.placeholder(tf.float32, [None, steps, 2])
    layer = getattr(tf.keras.layers, name)(4)
    last = layer(x)
    assert last.shape.as_list() == [None, 4]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(last, {x: numbers(5, 3, 2, seed=1)}).shape == (5, 4)


def test_the_learning_phase_decides_where_a_call_does_not() -> None:
    backend = tf.keras.backend
    x = tf.placeholder(tf.float32, [None, 64])
    layer = tf.keras.layers.Dropout(0.5)
    assert backend.learning_phase() == 0
    backend.set_learning_phase(1)
    dropped, kept = layer(x), layer(x, training=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        results = session.run([dropped, kept], {x: np.ones([1, 64], "float32")})
    assert (results[0] == 0).any()
    assert (results[1] == 1).all()
    with pytest.raises(ValueError, match="Expected learning phase to be 0 or 1"):
        backend.set_learning_phase(2)
    backend.clear_session()
    assert backend.learning_phase() == 0


def test_fit_does_not_drop_in_the_phase_of_inference() -> None:
    tf.keras.backend.set_learning_phase(0)
    model = tf.keras.Sequential(
        [
            tf.keras.Input([8]),
            tf.keras.layers.Dropout(0.5),
            tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones"),
        ]
    )
    model.compile("sgd", "mse")
    history = model.fit(np.ones([4, 8], "float32"), np.zeros([4, 1]), verbose=0).history
    assert history["loss"] == [64.0]
