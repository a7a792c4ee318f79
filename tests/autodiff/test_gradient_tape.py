"""Gradient tapes as a user sees them."""

import numpy as np
import pytest

import placewise as tf


def test_a_tape_is_used_once_unless_persistent():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tape.gradient(y, x)


def test_persistent_and_nested_structures():
    x, z = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * x * z
    assert float(tape.gradient(y, x)) == 20.0
    found = tape.gradient({"a": y}, {"b": x, "c": [z]})
    assert float(found["b"]) == 20.0
    assert float(found["c"][0]) == 4.0


def test_unconnected_gradients():
    x, other = tf.constant(2.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, other) is None
    assert tape.gradient(y, other, unconnected_gradients="zero").numpy().tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'foo'"):
        tape.gradient(y, x, unconnected_gradients="foo")


def test_higher_orders():
    x = tf.constant(2.0)
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = x**4
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, x)
    assert float(third.gradient(d2y, x)) == pytest.approx(48.0)


def test_higher_orders_through_torchs_own_gradient():
    # A torch-differentiated kernel is an op of its own, so it differentiates again.
    x = tf.constant([0.3, 0.6], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.math.erfinv(x)
        dy = inner.gradient(y, x)
    d2y = outer.gradient(dy, x)
    step = 1e-5

    def derivative(at):
        with tf.GradientTape() as tape:
            tape.watch(at)
            value = tf.math.erfinv(at)
        return tape.gradient(value, at)

    numeric = (derivative(x + step) - derivative(x - step)) / (2 * step)
    np.testing.assert_allclose(d2y.numpy(), numeric.numpy(), rtol=1e-5)


def test_variables_are_followed_unless_told_not_to():
    v, fixed = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * fixed
    assert tape.watched_variables() == (v,) or tape.watched_variables()[0] is v
    assert [float(g) if g is not None else None for g in tape.gradient(y, [v, fixed])] == [
        12.0,
        None,
    ]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * 2.0
    assert tape.gradient(y, v) is None


def test_a_value_read_before_an_assignment_keeps_its_gradient():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * 2.0
        v.assign(5.0)
        z = v * y
    assert float(tape.gradient(z, v)) == 12.0


def test_gather_gives_indexed_slices_with_repeats_kept():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.gather(v, [0, 0])
        total = tf.reduce_sum(rows * rows) + tf.reduce_sum(v)
    sparse = tape.gradient(rows, v)
    assert isinstance(sparse, tf.IndexedSlices)
    assert sparse.indices.numpy().tolist() == [0, 0]
    assert sparse.values.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert tape.gradient(total, v).numpy().tolist() == [[5.0, 9.0], [1.0, 1.0]]


def test_stop_recording_and_reset():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            hidden = x * x
    assert tape.gradient(hidden, x) is None
    assert float(tape.gradient(y, x)) == 6.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        z = x * y
    assert tape.gradient(z, x) is None


def test_jacobians():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(y, x).shape == (2, 2, 2, 2)
    batch = tape.batch_jacobian(y, x)
    assert batch.numpy().tolist() == [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]


def test_only_numbers_that_can_change_are_followed(caplog):
    x = tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None
    assert "dtype of the watched tensor must be floating" in caplog.text


def test_bad_arguments():
    with (
        tf.GradientTape() as tape,
        pytest.raises(ValueError, match=r"not tf\.Tensor or tf\.Variable"),
    ):
        tape.watch(3.0)
    with pytest.raises(TypeError, match="received None"):
        tape.gradient(None, None)
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="Tape is still recording"):
        tape.__enter__()


def test_gradients_are_made_on_the_device_in_force():
    with tf.simulate("2"), tf.device("/gpu:1"):
        v = tf.Variable([1.0])
        with tf.GradientTape() as tape:
            y = v * v
        assert tape.gradient(y, v).device.endswith("GPU:1")


def test_an_error_inside_leaves_the_tape_usable():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            x + tf.constant([1.0, 2.0, 3.0])
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_forward_mode():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])) as accumulator:
        y = x * x
    assert accumulator.jvp(y).numpy().tolist() == [2.0, 40.0]
    assert accumulator.jvp(tf.constant(1.0)) is None


def test_a_target_that_is_a_source_has_its_own_gradient():
    v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])

    def gradients():
        with tf.GradientTape(persistent=True) as tape:
            y = v * 3
            z = x * 2
        seed = tf.constant([5.0, 6.0])
        return [
            tape.gradient(v, v),
            tape.gradient([v, y], v),
            tape.gradient(v, v, output_gradients=seed),
            tape.gradient([z, x], x),
        ]

    for run in (gradients, tf.function(gradients)):
        values = [gradient.numpy().tolist() for gradient in run()]
        assert values == [[1, 1], [4, 4], [5, 6], [1, 1]]

    @tf.function
    def unread():
        with tf.GradientTape() as tape:
            pass
        return tape.gradient(v, v)

    assert unread().numpy().tolist() == [1, 1]


def test_a_variable_that_is_watched_by_hand_is_listed() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    (watched,) = tape.watched_variables()
    assert watched is v
    assert float(tape.gradient(y, tape.watched_variables()[0])) == 3.0
