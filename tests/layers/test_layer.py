"""What a layer keeps and shares: variables, losses, updates, scopes; eager too."""

import copy

import numpy as np
import pytest

import placewise as tf2
import placewise.compat.v1 as tf
from placewise.layers.convolution import Conv1D, Conv2D, Conv3D
from placewise.layers.dense import Dense, Flatten
from placewise.layers.pooling import AveragePooling1D, MaxPooling2D
from placewise.layers.transposed_convolution import Conv2DTranspose

graph_only = pytest.mark.usefixtures("graph_mode")


def image(*shape: int | None) -> object:
    return tf.placeholder(tf.float32, shape)


@graph_only
def test_a_layer_shares_its_variables_between_calls() -> None:
    layer = tf.layers.Dense(2)
    first, second = layer(image(None, 3)), layer(image(None, 3))
    assert [v.name for v in tf.global_variables()] == ["dense/kernel:0", "dense/bias:0"]
    assert (first.name, second.name) == ("dense/BiasAdd:0", "dense/BiasAdd_1:0")


@graph_only
def test_a_named_layer_is_shared_by_reuse_only() -> None:
    tf.layers.dense(image(None, 3), 2, name="x")
    with pytest.raises(ValueError, match="Variable x/kernel already exists"):
        tf.layers.dense(image(None, 3), 2, name="x")
    tf.layers.dense(image(None, 3), 2, name="x", reuse=True)
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        tf.layers.dense(image(None, 3), 2, name="x", reuse=tf.AUTO_REUSE)
    assert len(tf.global_variables()) == 2


@graph_only
def test_a_regularizer_gives_one_loss_however_often_the_variable_is_used() -> None:
    for _ in range(2):
        with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
            tf.layers.dense(
                image(None, 3), 2, name="x", kernel_regularizer=lambda w: tf.reduce_sum(w * w)
            )
    assert len(tf.losses.get_regularization_losses()) == 1
    assert len(tf.losses.get_regularization_losses("a/x")) == 1
    assert tf.losses.get_regularization_losses("b") == []


@graph_only
def test_the_scopes_initializer_and_regularizer_hold_for_layers() -> None:
    with tf.variable_scope(
        "s", initializer=tf.ones_initializer(), regularizer=lambda w: tf.reduce_sum(w)
    ):
        tf.layers.dense(image(None, 3), 2, use_bias=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.losses.get_regularization_loss()) == 6.0


@graph_only
def test_a_layer_of_ones_own_gets_dtype_scope_and_training_flag() -> None:
    class Scaled(tf.layers.Layer):
        def build(self, input_shape: object) -> None:
            self.factor = self.add_weight("factor", [], initializer=tf.ones_initializer())
            self.count = self.add_variable(
                "count", [], initializer=tf.zeros_initializer(), trainable=False
            )
            self.built = True

        def call(self, inputs: object, training: bool = False) -> object:
            self.add_loss(tf.reduce_sum(inputs), inputs=inputs)
            self.add_update(tf.assign_add(self.count, 1.0))
            return inputs * self.factor if training else inputs

    layer = Scaled()
    x = tf.placeholder(tf.float64, [2])
    assert layer(x) is not layer.apply(x, training=True)
    assert (layer.name, layer.scope_name, layer.dtype) == ("scaled_1", "scaled", "float64")
    assert [v.name for v in layer.trainable_variables] == ["scaled/factor:0"]
    assert [v.name for v in layer.non_trainable_variables] == ["scaled/count:0"]
    assert layer.count_params() == 2
    assert layer.get_losses_for(x) == layer.losses
    assert layer.get_updates_for(None) == layer.updates
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == layer.updates
    layer.trainable = False
    assert (layer.updates, layer.trainable_weights) == ([], [])


@graph_only
def test_a_frozen_layer_makes_variables_no_optimizer_sees() -> None:
    tf.layers.dense(image(None, 3), 2, trainable=False)
    tf.layers.batch_normalization(image(None, 3), training=True, trainable=False)
    assert tf.trainable_variables() == []
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []


@graph_only
def test_a_copied_layer_makes_variables_of_its_own() -> None:
    layer = tf.layers.Dense(2)
    other = copy.deepcopy(layer)
    layer(image(None, 3)), other(image(None, 3))
    assert len(tf.global_variables()) == 4


@graph_only
@pytest.mark.parametrize(
    ("layer", "given", "wanted"),
    [
        (lambda: Dense(4), [None, 3], [None, 4]),
        (lambda: Flatten(), [None, 3, 4], [None, 12]),
        (lambda: Conv1D(4, 3, dilation_rate=2), [2, 9, 3], [2, 5, 4]),
        (lambda: Conv2D(4, 3, 2, "same", "channels_first"), [2, 3, 9, 8], [2, 4, 5, 4]),
        (lambda: Conv3D(4, 2), [None, 4, 4, None, 3], [None, 3, 3, None, 4]),
        (lambda: Conv2DTranspose(4, 3, 2), [2, 4, None, 3], [2, 9, None, 4]),
        (lambda: MaxPooling2D(2, 2, "same"), [2, 5, 4, 3], [2, 3, 2, 3]),
        (lambda: AveragePooling1D(3, 1), [2, 5, 3], [2, 3, 3]),
    ],
)
def test_the_shape_of_outputs_is_known_before_and_after(
    layer: object, given: list[int | None], wanted: list[int | None]
) -> None:
    made = layer()
    assert made.compute_output_shape(given).as_list() == wanted
    assert made(image(*given)).shape.as_list() == wanted


@graph_only
def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ValueError, match='must be one of "channels_first", "channels_last"'):
        tf.layers.Conv2D(4, 3, data_format="foo")
    with pytest.raises(ValueError, match="Unknown activation function:foo"):
        tf.layers.Dense(4, activation="foo")
    with pytest.raises(ValueError, match="Unknown initializer: foo"):
        tf.layers.Dense(4, kernel_initializer="foo")
    with pytest.raises(ValueError, match="contains keys not in"):
        tf.layers.BatchNormalization(renorm=True, renorm_clipping={"foo": 1.0})
    with pytest.raises(NotImplementedError, match="virtual_batch_size"):
        tf.layers.BatchNormalization(virtual_batch_size=2)
    with pytest.raises(ValueError, match="Invalid axis: 4"):
        tf.layers.batch_normalization(image(2, 3), axis=4)
    with pytest.raises(TypeError, match="missing a required argument: 'units'"):
        tf.layers.dense(image(2, 3))


def test_layers_work_eagerly_and_give_gradients() -> None:
    layer = tf.layers.Dense(2, kernel_regularizer=lambda w: tf2.reduce_sum(w * w))
    x = np.ones((3, 4), np.float32)
    with tf2.GradientTape() as tape:
        loss = tf.losses.mean_squared_error(np.zeros((3, 2), np.float32), layer(x))
    gradients = tape.gradient(loss, layer.trainable_variables)
    assert [g.shape.as_list() for g in gradients] == [[4, 2], [2]]
    kernel = layer.kernel.numpy()
    np.testing.assert_allclose(layer.losses[0].numpy(), (kernel**2).sum(), 1e-5)
    assert layer(x).shape == (3, 2)
    assert len(layer.variables) == 2


def test_batch_normalization_moves_its_averages_eagerly() -> None:
    layer = tf.layers.BatchNormalization(momentum=0.5)
    layer(np.full((4, 2), 3.0, np.float32), training=True)
    np.testing.assert_allclose(layer.moving_mean.numpy(), [1.5, 1.5])
