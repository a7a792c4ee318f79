"""tf.contrib.framework: conditions and checks."""

import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_smart_case_lets_the_graph_choose_where_conditions_are_fed():
    number = tf.placeholder(tf.int32, [])
    chosen = tf.contrib.framework.smart_case(
        [
            (tf.equal(number, 1), lambda: tf.constant(10)),
            (tf.equal(number, 2), lambda: tf.constant(20)),
        ],
        default=lambda: tf.constant(0),
        exclusive=True,
    )
    with tf.Session() as session:
        assert [session.run(chosen, {number: fed}) for fed in (1, 2, 3)] == [10, 20, 0]
