"""The host's own memory: what cannot fit is refused before it is allocated."""

import pytest

import placewise as tf


def test_a_constant_that_the_host_cannot_hold():
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[1099511627776\]"):
        tf.constant(1.0, shape=[2**40])


def test_a_constant_of_a_file_that_the_host_cannot_hold():
    definition = tf.compat.v1.GraphDef()
    node = definition.node.add(name="c", op="Const")
    node.attr["dtype"].type = 1
    tensor = node.attr["value"].tensor
    tensor.dtype = 1
    tensor.float_val.append(1.0)
    tensor.tensor_shape.dim.add().size = 2**45
    refused = pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating")
    with tf.Graph().as_default() as graph, refused:
        (c,) = tf.import_graph_def(definition, return_elements=["c:0"])
        tf.compat.v1.Session(graph=graph).run(c)


def test_joined_segments_that_the_host_cannot_hold():
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"type string"):
        tf.strings.unsorted_segment_join(["a"], [0], 2**40)


def test_the_divisor_of_what_is_no_integer():
    with pytest.raises(ValueError, match="Arguments to gcd must be integers"):
        tf.experimental.numpy.gcd(float("nan"), 3)
    with pytest.raises(ValueError, match="Arguments to gcd must be integers"):
        tf.experimental.numpy.lcm(1.0, 2.0)
