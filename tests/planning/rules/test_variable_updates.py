"""Updates of variables in one call round the same, whoever reads the variable at the time."""

import numpy as np
import pytest

import placewise as tf

_RNG = np.random.RandomState(0)
VALUE, CHANGE, OTHER = (_RNG.rand(40, 40).astype("f") + 0.5 for _ in range(3))
UPDATES = {
    "scaled": lambda w, a, b: w.assign_sub(0.1 * a),
    "product": lambda w, a, b: w.assign_sub(0.1 * tf.matmul(a, b)),
    "quotient": lambda w, a, b: w.assign_sub(a / b),
    "scaled quotient": lambda w, a, b: w.assign_sub(a[0, 0] * a / b),
    "moving": lambda w, a, b: w.assign_add(0.1 * (a - w)),
}


@pytest.mark.parametrize("name", UPDATES)
def test_a_variable_that_is_read_meanwhile_gets_the_same_value(name):
    quiet, watched = tf.Variable(VALUE), tf.Variable(VALUE)
    for variable in (quiet, watched):
        update = tf.function(lambda a, b, variable=variable: UPDATES[name](variable, a, b))
        for _ in range(3):
            seen = [variable.read_value(), variable.numpy()] if variable is watched else []
            kept = [np.array(each) for each in seen]
            update(tf.constant(CHANGE), tf.constant(OTHER))
            assert all((np.asarray(a) == b).all() for a, b in zip(seen, kept, strict=True))
    assert quiet.numpy().tobytes() == watched.numpy().tobytes()
