"""Graphs as messages: written, read, and the same afterwards."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def build():
    a = tf.constant([1.0, 2.0], name="a")
    with tf.device("/gpu:1"):
        b = tf.constant([3.0, 4.0], name="b")
    with tf.control_dependencies([a]):
        joined = tf.concat([a, b], 0, name="joined")
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.reduce_sum(x * joined, 1, name="result")
    tf.split(joined, 2, name="parts")


def test_a_graph_survives_the_round_trip():
    build()
    message = tf.get_default_graph().as_graph_def(add_shapes=True)
    again = tf.Graph()
    with again.as_default():
        x, result = tf.import_graph_def(message, name="", return_elements=["x:0", "result:0"])
        assert again.as_graph_def(add_shapes=True) == message
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            assert session.run(result, {x: np.ones((1, 4))}).tolist() == [10.0]


def test_names_get_a_prefix_and_inputs_may_be_mapped():
    build()
    message = tf.get_default_graph().as_graph_def()
    tf.reset_default_graph()
    mine = tf.constant([[1.0, 1.0, 1.0, 2.0]])
    (result,) = tf.import_graph_def(message, {"x": mine}, ["result:0"])
    assert result.name == "import/result:0"
    assert tf.get_default_graph().get_operation_by_name("import/b").device == "/device:GPU:1"
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(result).tolist() == [14.0]
    with pytest.raises(ValueError, match="not found in graph_def: \\[nothing:0\\]"):
        tf.import_graph_def(message, {"nothing": mine})


def test_bad_messages_are_refused():
    with pytest.raises(TypeError, match="must be a GraphDef proto"):
        tf.import_graph_def("graph")
    message = tf.GraphDef()
    message.node.add(name="n", op="NoSuchOp")
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'NoSuchOp'"):
        tf.import_graph_def(message)
    message = tf.GraphDef()
    message.node.add(name="n", op="Identity", input=["missing"])
    with pytest.raises(ValueError, match="Unknown input node 'missing'"):
        tf.import_graph_def(message)


def recorded():
    return json.loads((Path(__file__).parent / "graph_defs.json").read_text())


@pytest.mark.parametrize("case", recorded(), ids=lambda case: case["name"])
def test_a_graph_written_by_tensorflow_runs_here(case):
    message = tf.GraphDef()
    message.ParseFromString(base64.b64decode(case["graph_def"]))
    fetched = tf.import_graph_def(message, name="", return_elements=case["fetches"])
    feeds = {
        tf.get_default_graph().get_tensor_by_name(name): np.array(value, dtype)
        for name, (value, dtype) in case["feeds"].items()
    }
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        if case["init"]:
            session.run(tf.get_default_graph().get_operation_by_name(case["init"]))
        for found, expected in zip(session.run(fetched, feeds), case["values"], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
