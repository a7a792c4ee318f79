"""Meta graphs that are made smaller, as tf2onnx asks for it."""

import placewise as tf
from placewise.saving.graph_optimization import OptimizeGraph

v1 = tf.compat.v1


def _meta(graph_def, kept):
    meta = v1.train.export_meta_graph(graph_def=graph_def)
    meta.collection_def["train_op"].node_list.value.extend(kept)
    return meta


def test_constants_are_folded_and_results_stay():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        scale = tf.constant([1.0, 2.0]) * 3.0 + 1.0
        tf.identity(x * scale, name="y")
    config = v1.ConfigProto()
    config.graph_options.rewrite_options.optimizers.append("constfold")
    smaller = OptimizeGraph(config, _meta(graph.as_graph_def(), ["x:0", "y:0"]))
    assert {node.op for node in smaller.node} == {"Placeholder", "Const", "Mul", "Identity"}
    with tf.Graph().as_default(), v1.Session() as session:
        v1.import_graph_def(smaller, name="")
        assert session.run("y:0", {"x:0": [[1.0, 1.0]]}).tolist() == [[4.0, 7.0]]


def test_random_ops_and_nodes_that_are_kept_are_not_folded():
    with tf.Graph().as_default() as graph:
        tf.identity(tf.constant(2.0) + 1.0, name="kept")
        tf.identity(tf.random.uniform([2]), name="random")
    smaller = OptimizeGraph(v1.ConfigProto(), _meta(graph.as_graph_def(), ["kept:0", "random:0"]))
    types = {node.name: node.op for node in smaller.node}
    assert types["kept"] == "Identity"
    assert "RandomUniform" in types.values()
