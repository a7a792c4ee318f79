"""placewise.plan: functions, models and graphs on machines that are not here."""

import json

import numpy as np
import pytest

import placewise as tf

v1 = tf.compat.v1


def train_eagerly() -> None:
    w = tf.Variable(tf.zeros([1000, 1000]))
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.ones([64, 1000]) @ w)
        w.assign_sub(0.1 * tape.gradient(loss, w))


def small_graph() -> tuple[tf.Graph, object, object]:
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 100])
        w = v1.get_variable("w", [100, 10000])
        loss = tf.reduce_mean(tf.square(x @ w))
        train = v1.train.AdamOptimizer().minimize(loss)
    return graph, x, train


def test_an_eager_function_is_planned() -> None:
    planned = tf.plan(train_eagerly, on=["K80", "2xV100", "V100:1MiB"])
    assert [one.verdict for one in planned] == ["fits", "fits", "does not fit"]
    assert not planned.fits
    assert planned[0].step_seconds > planned[1].step_seconds > 0
    assert planned[0].devices[0].variables_bytes == 1000 * 1000 * 4
    assert json.loads(planned.to_json())["machines"][0]["machine"] == "K80"
    assert planned.table().splitlines()[1].startswith("K80")


def test_a_graph_is_planned_with_its_train_op() -> None:
    graph, x, train = small_graph()
    (one,) = tf.plan(graph, fetches=train, feeds={x: [64, 100]}, on="V100")
    assert one.steps == 2 and one.batch == 64
    assert one.trainable_bytes == 100 * 10000 * 4
    assert one.devices[0].slots_bytes == pytest.approx(2 * 100 * 10000 * 4, rel=0.01)


def test_the_largest_batch_fits_and_more_does_not() -> None:
    graph, x, train = small_graph()
    machine = "V100:40MiB"
    (one,) = tf.plan(graph, fetches=train, feeds={x: [64, 100]}, on=machine)
    largest = one.largest_batch
    assert largest is not None and largest > 64

    def fits(batch: int) -> bool:
        with tf.simulate(machine), v1.Session(graph=graph) as session:
            with graph.as_default():
                session.run(v1.global_variables_initializer())
            try:
                for _ in range(2):
                    session.run(train, {x: np.zeros([batch, 100], np.float32)})
            except tf.errors.ResourceExhaustedError:
                return False
        return True

    assert fits(int(largest * 0.95))
    assert not fits(int(largest * 1.1))


def test_a_compiled_keras_model_is_planned_as_a_copy() -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input([32]), layers.Dense(64), layers.Dense(10)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    before = [weight.copy() for weight in model.get_weights()]
    (one,) = tf.plan(model, on="V100", batch_size=128)
    assert one.fits and one.batch == 128
    for weight, same in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(weight, same)


def test_the_runtime_is_as_before_after_a_plan() -> None:
    tf.plan(train_eagerly, on="2xV100")
    assert tf.config.list_physical_devices("GPU") == []
    np.testing.assert_array_equal(tf.constant([1.0]) + 1, [2.0])


def test_what_cannot_be_planned_says_what_can() -> None:
    with pytest.raises(TypeError, match=r"a function, a Keras model or a tf\.Graph"):
        tf.plan(3, on="V100")
    with pytest.raises(TypeError, match="needs fetches"):
        tf.plan(tf.Graph(), on="V100")
    with pytest.raises(ValueError, match="with a GPU"):
        tf.plan(train_eagerly, on="0")
    with pytest.raises(ValueError, match="no model 'V999'"):
        tf.plan(train_eagerly, on="V999")


def test_an_error_of_the_function_passes_through() -> None:
    def broken() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        tf.plan(broken, on="V100")
    assert tf.config.list_physical_devices("GPU") == []
