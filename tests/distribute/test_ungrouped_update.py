"""`extended.update(group=False)`: results of each replica, as optimizers of Keras 2 read them."""

import placewise as tf


def test_without_a_strategy_the_result_is_a_tuple_of_one():
    variable = tf.Variable(1.0)
    update = tf.distribute.get_strategy().extended.update
    results = update(variable, lambda v, by: v.assign_add(by), args=(2.0,), group=False)
    assert isinstance(results, tuple) and len(results) == 1 and float(results[0]) == 3.0
    grouped = update(variable, lambda v, by: v.assign_add(by), args=(2.0,))
    assert not isinstance(grouped, tuple) and float(variable) == 5.0
