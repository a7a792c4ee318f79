"""`tf.profiler` of TensorFlow 1. The numbers are those of TensorFlow 1.15."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")
Options = tf.profiler.ProfileOptionBuilder


def _network():
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
    with tf.variable_scope("net"):
        zeros = tf.zeros_initializer()
        kernel = tf.get_variable("k", [3, 3, 3, 4], initializer=zeros)
        bias = tf.get_variable("b", [4], initializer=zeros)
        tf.get_variable("counter", [7], initializer=zeros, trainable=False)
        image = tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME", name="conv")
        image = tf.nn.relu(tf.nn.bias_add(image, bias))
        image = tf.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="pool")
        weights = tf.get_variable("fc/w", [16, 5], initializer=zeros)
        product = tf.matmul(tf.reshape(image, [2, 16]), weights, name="mm")
        return x, tf.reduce_mean(tf.nn.softmax(product, name="sm"), name="mean")


def test_parameters_are_counted_by_scope(capsys):
    _network()
    root = tf.profiler.profile(options=Options.trainable_variables_parameter())
    assert isinstance(root, tf.profiler.GraphNodeProto)
    assert (root.total_parameters, root.parameters) == (192, 0)
    (net,) = root.children
    assert [(child.name, child.total_parameters) for child in net.children] == [
        ("net/b", 4),
        ("net/fc", 80),
        ("net/k", 108),
    ]
    printed = capsys.readouterr().out
    assert "_TFProfRoot (--/192 params)\n  net (--/192 params)\n    net/b (4, 4/4" in printed


def test_float_operations_are_counted_by_scope_and_by_type(capsys):
    _network()
    graph = tf.get_default_graph()
    root = tf.profiler.profile(graph, options=Options.float_operation())
    assert [(child.name, child.float_ops) for child in root.children] == [
        ("net/conv", 6912),
        ("net/mm", 320),
        ("net/BiasAdd", 128),
        ("net/pool", 128),
        ("net/sm", 50),
        ("net/mean", 10),
    ]
    types = tf.profiler.profile(graph, cmd="op", options=Options.float_operation())
    assert isinstance(types, tf.profiler.MultiGraphNodeProto)
    assert types.total_float_ops == root.total_float_ops == 7548
    (first,) = types.children
    assert (first.name, first.float_ops, first.total_float_ops) == ("Conv2D", 6912, 7548)
    assert "Conv2D                   6.91k float_ops (100.00%, 91.57%)" in capsys.readouterr().out


def test_a_traced_step_has_time_memory_and_shapes(capsys):
    x = tf.placeholder(tf.float32, [None, 3])
    product = tf.matmul(tf.exp(x), tf.get_variable("w", [3, 4]), name="product")
    quiet = Options(Options.float_operation()).with_empty_output().build()
    only_product = Options(quiet).with_node_names(start_name_regexes=["product"]).build()
    assert tf.profiler.profile(options=only_product).total_float_ops == 0
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(product, {x: np.ones([2, 3])}, options=options, run_metadata=metadata)
    profiler = tf.profiler.Profiler()
    profiler.add_step(0, metadata)
    assert profiler.profile_name_scope(only_product).total_float_ops == 2 * 2 * 3 * 4
    times = Options(Options.time_and_memory(min_bytes=0)).with_empty_output().build()
    assert profiler.profile_operations(times).total_exec_micros > 0
    assert not capsys.readouterr().out


def test_reports_go_to_files_and_other_views_raise(tmp_path):
    _network()
    path = tmp_path / "report"
    options = Options(Options.float_operation()).with_file_output(str(path)).build()
    tf.profiler.profile(options=options)
    assert "net/conv (6.91k/6.91k flops)" in path.read_text()
    with pytest.raises(ValueError, match="Invalid cmd: 'code'"):
        tf.profiler.profile(cmd="code", options=options)
