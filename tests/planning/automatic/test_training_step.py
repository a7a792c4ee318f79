"""Which operations of a graph a training step runs."""

from __future__ import annotations

import placewise.v1 as tf
from placewise.planning.automatic.training_step import in_step


def names(graph) -> set[str]:
    return {op.name for op in in_step(graph.get_operations())}


def test_a_step_is_what_updates_depend_on(graph_mode):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        loss = tf.reduce_sum(tf.square(x - v), name="loss")
        tf.reduce_max(x, name="beside")
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        tf.global_variables_initializer()
        tf.train.Saver()
    found = names(graph)
    assert {"x", "v", "v/read", "sub", "Momentum/update_v/ApplyMomentum"} <= found
    assert (
        not {"v/Assign", "beside", "init", "save/SaveV2", "save/RestoreV2", "save/Assign"} & found
    )


def test_resource_variables_are_updated_too(graph_mode):
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [2], use_resource=True)
        v.assign_sub([1.0, 1.0], name="down")
    assert "v" in names(graph)
    assert "v/Assign" not in names(graph)


def test_without_updates_it_is_what_nobody_reads(graph_mode):
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [2])
        tf.reduce_sum(v, name="total")
        tf.global_variables_initializer()
    assert "total" in names(graph)
    assert "v/Assign" not in names(graph)
