"""Values that wait for the next step."""

import pytest

import placewise.v1 as tf
from placewise.graph.staging_area import StagingArea

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_values_are_taken_in_the_order_they_were_put():
    area = StagingArea([tf.float32], shapes=[[]])
    x = tf.placeholder(tf.float32, [])
    put, taken = area.put([x]), area.get()
    with tf.Session() as session:
        session.run(put, {x: 1.0})
        session.run(put, {x: 2.0})
        assert [session.run(taken) for _ in range(2)] == [[1.0], [2.0]]


def test_a_memory_limit_is_not_ignored():
    with pytest.raises(NotImplementedError, match="`capacity` limits how many"):
        StagingArea([tf.float32], memory_limit=1000)
