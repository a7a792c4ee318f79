"""Adam's relatives against TensorFlow 1.15's numbers."""

import numpy as np
import pytest

import placewise.v1 as tf

# Rows of the table and of its first slot, after steps on rows 0 and 2, 1 and 2, and 0.
ANSWERS = {
    "LazyAdamOptimizer": [
        [0.7009, -1.7009],
        [[0.0, 0.82132], [1.92559, 2.92559], [3.80007, 4.80006], [6.0, 7.0]],
        [[0.0, 0.54], [0.4, 0.6], [1.5, 1.88], [0.0, 0.0]],
    ],
    "NadamOptimizer": [
        [0.55038, -1.55038],
        [[0.0, 0.7212], [1.85861, 2.85861], [3.6688, 4.66851], [6.0, 7.0]],
        [[0.0, 0.486], [0.36, 0.54], [1.3338, 1.6758], [0.0, 0.0]],
    ],
}


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", ANSWERS)
def test_rows_and_slots_are_those_of_tensorflow(name: str, use_resource: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        start = np.arange(8, dtype=np.float32).reshape(4, 2)
        table = tf.get_variable("e", initializer=start, use_resource=use_resource)
        dense = tf.get_variable("v", initializer=[1.0, -2.0], use_resource=use_resource)
        rows = tf.placeholder(tf.int32, [None])
        optimizer = getattr(tf.contrib.opt, name)(0.1)
        looked_up = tf.nn.embedding_lookup(table, rows)
        loss = tf.reduce_sum(dense * dense + dense) + tf.reduce_sum(tf.square(looked_up))
        step = optimizer.minimize(loss)
        session.run(tf.global_variables_initializer())
        for fed in ([0, 2, 0], [1, 2], [0]):
            session.run(step, {rows: fed})
        values = session.run([dense, table, optimizer.get_slot(table, "m")])
    for value, answer in zip(values, ANSWERS[name], strict=True):
        np.testing.assert_allclose(value, answer, rtol=1e-5, atol=2e-5)
