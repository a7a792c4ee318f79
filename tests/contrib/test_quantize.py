"""tf.contrib.quantize: the graphs, losses and gradients of TensorFlow 1.15."""

import json
import pathlib

import numpy as np
import pytest

import placewise.compat.v1 as tf
from tests.contrib.quantized_networks import NETWORKS, outcome

pytestmark = pytest.mark.usefixtures("graph_mode")

ANSWERS = json.loads(pathlib.Path(__file__).with_name("quantized_networks.json").read_text())


@pytest.mark.parametrize("case", ANSWERS)
def test_a_rewritten_network_is_that_of_tensorflow(case):
    build, _, rewrite = case.partition(" ")
    while build not in NETWORKS:
        build, rewrite = f"{build} {rewrite.partition(' ')[0]}", rewrite.partition(" ")[2]
    answer = outcome(tf, build, rewrite)
    expected = ANSWERS[case]
    is_delayed = rewrite == "delayed"
    assert [_named(row, is_delayed) for row in answer["quantized"]] == expected["quantized"]
    assert answer["variables"] == expected["variables"]
    runs, wanted = np.array(answer["runs"]), np.array(expected["runs"])
    if case != "sums few bits":  # sums of rounded numbers lie halfway between two values
        np.testing.assert_allclose(runs[:, 0], wanted[:, 0], rtol=5e-3)
    # Where few values are left, many lie on an edge: there a last bit decides about gradients.
    if rewrite in ("training", "frozen"):
        np.testing.assert_allclose(runs[:, 1:], wanted[:, 1:], rtol=2e-3, atol=1e-4)


def _named(row, is_delayed):
    # TensorFlow 1.15 writes a conditional as Switch and Merge.
    return [text.replace("/If:0", "/Merge:0") if is_delayed else text for text in row[:2]] + row[2:]


def test_a_trained_graph_is_restored_into_one_for_inference(tmp_path):
    def network(is_training):
        x = tf.placeholder(tf.float32, [2, 4], name="x")
        y = tf.contrib.layers.fully_connected(
            x,
            3,
            weights_initializer=tf.constant_initializer(np.linspace(0.1, 1.2, 12)),
            normalizer_fn=tf.contrib.layers.batch_norm,
            normalizer_params={"is_training": is_training, "scale": True, "decay": 0.1},
        )
        return x, tf.identity(y)  # which reads the rounded values

    feed = np.arange(8.0).reshape(2, 4)
    with tf.Graph().as_default():
        x, y = network(True)
        loss = tf.reduce_sum(tf.square(y))
        tf.contrib.quantize.create_training_graph()
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        updates = tf.get_collection("update_ops")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run([step, *updates], {x: feed})
            path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default():
        x, y = network(False)
        tf.contrib.quantize.create_eval_graph()
        with tf.Session() as session:
            tf.train.Saver().restore(session, path)
            result = session.run(y, {x: feed})
    assert np.unique(result).size > 1
    # 256 values in the range that was learned: results are whole multiples of the step.
    steps = result / _step(path)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)


def _step(path):
    reader = tf.train.load_checkpoint(path)
    ends = [reader.get_tensor(f"fully_connected/act_quant/{end}") for end in ("min", "max")]
    return (ends[1] - ends[0]) / 255


def test_the_step_is_named_from_the_root_inside_of_scopes():
    with tf.variable_scope("outer"), tf.name_scope("inner"):
        x = tf.placeholder(tf.float32, [2, 4])
        tf.contrib.layers.fully_connected(x, 3, scope="fc")
        tf.contrib.quantize.create_training_graph(quant_delay=3)
    names = {variable.op.name for variable in tf.global_variables()}
    assert "fake_quantization_step" in names
    assert "outer/outer/inner/fc/weights_quant/min" in names  # as TensorFlow 1.15 calls it


def test_a_normalization_without_moving_averages_is_refused_in_words():
    x = tf.placeholder(tf.float32, [2, 4, 4, 3])
    weights = tf.get_variable("w", [3, 3, 3, 2])
    y = tf.nn.conv2d(x, weights, [1, 1, 1, 1], "SAME")
    y, _, _ = tf.nn.fused_batch_norm(y, tf.ones([2]), tf.zeros([2]), is_training=True)
    tf.nn.relu(y)
    with pytest.raises(ValueError, match=r"moving average of FusedBatchNormV3:1 was not found"):
        tf.contrib.quantize.create_training_graph()


def test_sums_that_only_look_like_a_normalization_stay_as_they_are():
    x = tf.placeholder(tf.float32, [2, 4])
    y = tf.contrib.layers.fully_connected(x, 3, activation_fn=None, biases_initializer=None)
    total = tf.add(y * 2.0, 1.0 - y * 2.0, name="total")
    tf.identity(total)
    tf.contrib.quantize.create_training_graph()
    assert [tensor.op.type for tensor in total.op.inputs] == ["Mul", "Sub"]


def test_graphs_that_compare_elements_of_tensors_are_rewritten_too():
    graph = tf.Graph()
    graph.tensor_equality = True
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2, 4, 4, 3])
        sides = [tf.contrib.layers.conv2d(x, 3, 1, activation_fn=None, scope=s) for s in "abcd"]
        tf.nn.relu(tf.add(*sides[:2]))
        tf.nn.relu(tf.add(*sides[2:]))
        tf.contrib.quantize.create_training_graph()
    names = [op.name for op in graph.get_operations() if op.type.startswith("FakeQuant")]
    for first, second in ("ab", "cd"):
        assert f"{first}/conv_quant/FakeQuantWithMinMaxVars" in names
        assert f"{second}/act_quant/FakeQuantWithMinMaxVars" in names
