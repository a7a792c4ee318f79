"""Sessions that build a cost model say what each operation of a run cost."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def _costs(config):
    x = tf.placeholder(tf.float32, [2, 3])
    total = tf.add(tf.matmul(x, tf.ones([3, 4]), name="product"), 2.0, name="total")
    metadata = tf.RunMetadata()
    with tf.Session(config=config) as session:
        session.run(total, {x: np.ones([2, 3])}, run_metadata=metadata)
    return metadata.cost_graph.node


def test_each_operation_has_its_cost_inputs_and_results():
    config = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=1))
    nodes = {node.name: node for node in _costs(config)}
    total = nodes["total"]
    assert total.device.endswith("/device:CPU:0") and total.compute_cost > 0
    assert nodes["product"].id in [info.preceding_node for info in total.input_info]
    (output,) = total.output_info
    assert output.size == 32 and [dim.size for dim in output.shape.dim] == [2, 4]


def test_other_sessions_build_none():
    assert not _costs(tf.ConfigProto(graph_options=tf.GraphOptions(infer_shapes=True)))
