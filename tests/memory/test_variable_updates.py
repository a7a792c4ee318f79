"""A variable counts on its device whichever op gave it its content."""

import gc

import pytest

import placewise as tf

SIZE = 256 * 256 * 4


@pytest.fixture
def used():
    """Return the bytes in use on a simulated GPU."""
    with tf.simulate("V100"):
        yield lambda: tf.config.experimental.get_memory_info("GPU:0")["current"] // SIZE


@pytest.mark.parametrize("update", ["assign_add", "assign_sub", "assign"])
@pytest.mark.parametrize("traced", [False, True])
def test_an_update_of_a_shared_content_counts(used, update, traced):
    variable = tf.Variable(tf.ones([256, 256]))
    run = _step(variable, update, traced)
    held = variable.value()
    run()
    assert used() == 3  # the variable, what was read of it before, and the change
    del held
    assert used() == 2
    run()
    assert used() == 2
    del run
    gc.collect()
    assert used() == 1


def _step(variable, update, traced):
    change = tf.ones([256, 256])

    def step():
        getattr(variable, update)(change * 2.0)

    return tf.function(step) if traced else step


def test_a_scattered_update_counts(used):
    variable = tf.Variable(tf.ones([256, 256]))
    held = variable.value()
    variable.scatter_add(tf.IndexedSlices(tf.ones([1, 256]), [3]))
    assert used() == 2
    del held
    assert used() == 1
