"""TensorFlow 1's optimizers inside a `tf.function`, on variables that were made outside."""

import numpy as np
import pytest

import placewise as tf

OPTIMIZERS = {
    "GradientDescent": {},
    "Momentum": {"momentum": 0.9},
    "Adam": {},
    "Adagrad": {},
    "RMSProp": {},
    "Ftrl": {},
    "Adadelta": {},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_in_a_function_are_those_of_eager_execution(name):
    def trained(is_function):
        w, table = tf.Variable([1.0, 2.0]), tf.Variable([[1.0], [2.0], [3.0]])
        count = tf.Variable(0, dtype=tf.int64)
        made = getattr(tf.compat.v1.train, f"{name}Optimizer")
        optimizer = made(learning_rate=0.1, **OPTIMIZERS[name])

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w**2) + tf.reduce_sum(tf.gather(table, [0, 2, 2]) ** 2)
            gradients = tape.gradient(loss, [w, table])
            optimizer.apply_gradients(zip(gradients, [w, table], strict=True), global_step=count)

        run = tf.function(step) if is_function else step
        for _ in range(3):
            run()
        return w.numpy(), table.numpy(), count.numpy()

    for found, expected in zip(trained(True), trained(False), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
