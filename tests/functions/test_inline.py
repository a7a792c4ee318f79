"""Functions that are written into another graph."""

import placewise as tf

v1 = tf.compat.v1


def test_what_a_loop_of_a_function_changes_is_changed_in_a_session_too():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [], tf.int32, v1.zeros_initializer(), use_resource=True)

        @tf.function
        def count(n):
            for i in tf.range(n):
                if tf.equal(i % 2, 0):
                    v.assign_add(i)
            return v.read_value()

        total = count(tf.constant(7))
        session.run(v.initializer)
        assert session.run(total) == 12
