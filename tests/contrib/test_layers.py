"""tf.contrib.layers and slim: names of variables and collections are those of TensorFlow 1.15."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def names(key):
    return [each.op.name for each in tf.get_collection(key)]


def image():
    return tf.placeholder(tf.float32, [None, 8, 8, 3])


def test_a_fully_connected_layer_has_weights_and_biases_of_the_model():
    layers = tf.contrib.layers
    rows = tf.placeholder(tf.float32, [None, 5])
    made = layers.fully_connected(rows, 4, weights_regularizer=layers.l2_regularizer(0.1))
    assert made.op.name == "fully_connected/Relu"
    assert names("model_variables") == ["fully_connected/weights", "fully_connected/biases"]
    assert names("regularization_losses") == ["fully_connected/kernel/Regularizer/l2_regularizer"]


def test_a_normalizer_takes_the_place_of_biases_and_its_updates_are_collected():
    layers = tf.contrib.layers
    layers.conv2d(image(), 4, 3, normalizer_fn=layers.batch_norm)
    assert names("trainable_variables") == ["Conv/weights", "Conv/BatchNorm/beta"]
    assert len(tf.get_collection("update_ops")) == 2


def test_arg_scope_gives_defaults_and_a_call_overrides_them():
    slim = tf.contrib.slim
    with slim.arg_scope([slim.conv2d], padding="VALID", activation_fn=None) as scope:
        first = slim.conv2d(image(), 2, 3, scope="a")
    with slim.arg_scope(scope):
        second = slim.conv2d(image(), 2, 3, padding="SAME", scope="b")
    assert first.shape.as_list() == [None, 6, 6, 2]
    assert second.shape.as_list() == [None, 8, 8, 2]
    with pytest.raises(ValueError, match="is not decorated with @add_arg_scope"):
        slim.arg_scope([tf.matmul], name="x").__enter__()


def test_repeat_and_stack_number_their_layers():
    slim = tf.contrib.slim
    slim.repeat(image(), 2, slim.conv2d, 4, [3, 3], scope="cv")
    slim.stack(tf.zeros([2, 3]), slim.fully_connected, [3, 4], scope="fc")
    assert names("model_variables")[::2] == [
        "cv/cv_1/weights",
        "cv/cv_2/weights",
        "fc/fc_1/weights",
        "fc/fc_2/weights",
    ]


def test_end_points_are_found_by_the_names_of_layers():
    slim = tf.contrib.slim
    with slim.arg_scope([slim.conv2d], outputs_collections="ends"):
        made = slim.conv2d(image(), 4, 3, scope="one")
    assert slim.utils.convert_collection_to_dict("ends") == {"one": made}


def test_averages_move_before_the_outputs_without_a_collection():
    rows = tf.constant(np.array([[1.0], [3.0]], np.float32))
    made = tf.contrib.layers.batch_norm(rows, decay=0.5, updates_collections=None)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(made)
        (mean,) = tf.contrib.slim.get_variables_by_name("moving_mean")
        assert session.run(mean) == [1.0]


def test_optimize_loss_takes_a_step_and_gives_the_loss():
    weight = tf.get_variable("w", initializer=3.0)
    step = tf.train.get_or_create_global_step()
    train = tf.contrib.layers.optimize_loss(weight * weight, step, 0.25, "SGD")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(train) == 9.0
        assert session.run([weight, step]) == [1.5, 1]


def test_resnet_has_the_variables_of_tensorflow():
    slim = tf.contrib.slim
    nets = slim.nets
    with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
        out, ends = nets.resnet_v1.resnet_v1_50(tf.zeros([1, 64, 64, 3]), 10)
    assert out.shape.as_list() == [1, 1, 1, 10]
    assert (len(tf.global_variables()), len(ends)) == (267, 75)
    assert "resnet_v1_50/block4/unit_3/bottleneck_v1" in ends


def test_hparams_keep_the_types_of_their_first_values():
    hparams = tf.contrib.training.HParams(rate=0.1, layers=[1, 2], name="x")
    hparams.parse("rate=1,layers=[3,4],name=y")
    assert hparams.values() == {"rate": 1.0, "layers": [3, 4], "name": "y"}
    with pytest.raises(ValueError, match="Could not parse hparam 'rate'"):
        hparams.parse("rate=fast")


def test_weights_come_from_a_checkpoint_by_name(tmp_path):
    slim = tf.contrib.slim
    weight = tf.get_variable("w", initializer=2.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
        session.run(weight.assign(0.0))
        slim.assign_from_checkpoint_fn(path, slim.get_variables_to_restore())(session)
        assert session.run(weight) == 2.0


def test_the_end_of_sequence_token_is_left_out_of_sparse_ids():
    layers = tf.contrib.layers
    sparse = layers.dense_to_sparse([[0, 3], [4, 0]])
    bag = layers.bow_encoder(
        [[0, 1], [2, 4]], 5, 3, initializer=tf.constant_initializer(np.arange(15.0))
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        places, values, _ = session.run(sparse)
        assert (places.tolist(), values.tolist()) == ([[0, 1], [1, 0]], [3, 4])
        assert session.run(bag).tolist() == [[3.0, 4.0, 5.0], [9.0, 10.0, 11.0]]
