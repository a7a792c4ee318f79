"""Control dependencies on variables that were made outside of the function."""

import placewise as tf


def test_a_function_waits_for_a_variable_of_outside():
    counter = tf.Variable(1.0)

    @tf.function
    def step():
        counter.assign_add(2.0)
        with tf.control_dependencies([counter]):
            return tf.identity(counter)

    assert float(step()) == 3.0


def test_a_function_waits_for_a_variable_of_keras():
    counter = tf.keras.Variable(1.0)

    @tf.function
    def step():
        counter.assign(counter + 2.0)
        with tf.control_dependencies([counter]):
            return tf.identity(counter.value)

    assert float(step()) == 3.0
