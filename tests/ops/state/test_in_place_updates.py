"""An update that writes into a variable is seen by no tensor that was read before."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import placewise as tf
import placewise.compat.v1 as v1

SHAPE = (4, 3)
START = np.arange(1.0, 13.0, dtype="f").reshape(SHAPE)
NEW = np.array([[2.0, 4.0, 8.0], [0.5, 3.0, 1.0]], "f")

BY_ROWS = {
    "scatter_update": lambda old, new: new,
    "scatter_add": np.add,
    "scatter_sub": np.subtract,
    "scatter_mul": np.multiply,
    "scatter_div": np.divide,
    "scatter_min": np.minimum,
    "scatter_max": np.maximum,
}
BY_PLACES = {
    "scatter_nd_update": lambda old, new: new,
    "scatter_nd_add": np.add,
    "scatter_nd_sub": np.subtract,
    "scatter_nd_min": np.minimum,
    "scatter_nd_max": np.maximum,
}
WHOLE = {"assign_add": np.add, "assign_sub": np.subtract}
NAMES = [*BY_ROWS, *BY_PLACES, *WHOLE, "slice", "gradient_rows"]


def change(variable, name, rows, new):
    """Change two rows of a variable, or all of it."""
    if name == "slice":
        variable[rows[0] : rows[0] + 1].assign(new[:1])
    elif name == "gradient_rows":
        tf.raw_ops.ResourceSparseApplyAdagradV2(
            var=variable.handle,
            accum=tf.Variable(tf.ones(SHAPE)).handle,
            lr=0.5,
            epsilon=0.0,
            grad=new,
            indices=rows,
        )
    elif name in BY_ROWS:
        getattr(variable, name)(tf.IndexedSlices(tf.constant(new), tf.constant(rows)))
    elif name in BY_PLACES:
        getattr(variable, name)([[row] for row in rows], new)
    else:
        getattr(variable, name)(np.concatenate([new, new]))


def changed(array, name, rows, new):
    """Return what `change` makes of an array."""
    made = array.copy()
    if name == "slice":
        made[rows[0]] = new[0]
    elif name == "gradient_rows":
        made[rows] -= 0.5 * new / np.sqrt(1 + new * new)
    elif name in WHOLE:
        made = WHOLE[name](array, np.concatenate([new, new]))
    else:
        made[rows] = {**BY_ROWS, **BY_PLACES}[name](made[rows], new)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_what_was_asked_for_in_place(name):
    variable = tf.Variable(START)
    variable.assign_add(tf.zeros(SHAPE))  # now it shares nothing
    place = variable.handle._value.value.data_ptr()
    change(variable, name, [2, 0], NEW)
    assert variable.handle._value.value.data_ptr() == place
    np.testing.assert_allclose(variable.numpy(), changed(START, name, [2, 0], NEW), rtol=1e-6)


def steps_of(*names):
    return st.lists(
        st.tuples(st.sampled_from(names), st.permutations(range(4)).map(lambda order: order[:2])),
        max_size=12,
    )


def apply(variable, name, rows):
    """Do a step: change a variable, or return what is read of it."""
    if name == "read":
        return variable.value()
    if name == "part":
        return variable[1:3]
    if name == "reshaped":
        return tf.reshape(tf.identity(variable), [-1])
    if name == "own":  # what is written comes from the variable itself
        variable.scatter_nd_update([[rows[0]]], variable[rows[1] : rows[1] + 1])
    else:
        change(variable, name, rows, NEW)
    return None


def applied(array, name, rows):
    """Return the array after a step, and what a reading step reads."""
    if name in ("read", "array"):
        return array, array
    if name == "part":
        return array, array[1:3]
    if name == "reshaped":
        return array, array.reshape(-1)
    if name == "own":
        made = array.copy()
        made[rows[0]] = array[rows[1]]
        return made, None
    return changed(array, name, rows, NEW), None


@settings(max_examples=150, deadline=None)
@given(steps_of(*NAMES, "own", *["read", "part", "array", "reshaped", "forget"] * 2))
def test_what_was_read_before_stays_as_it_was(steps):
    variable, expected, kept = tf.Variable(START), START, []
    for name, rows in steps:
        if name == "forget":
            kept.clear()
            continue
        value = variable.numpy() if name == "array" else apply(variable, name, rows)
        expected, was = applied(expected, name, rows)
        if was is not None:
            kept.append((value, was))
        np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-5)
        for value, was in kept:
            np.testing.assert_allclose(value, was, rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    steps_of(
        *[each for each in NAMES if each != "gradient_rows"],
        "own",
        *["read", "part", "reshaped"] * 3,
    )
)
def test_in_a_function_of_any_steps_too(steps):
    variable, expected, all_read = tf.Variable(START), START, []

    @tf.function
    def run():
        values = [apply(variable, name, rows) for name, rows in steps]
        return [value for value in values if value is not None]

    for name, rows in steps:
        expected, was = applied(expected, name, rows)
        all_read += [] if was is None else [was]
    values = run()
    np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-5)
    for value, was in zip(values, all_read, strict=True):
        np.testing.assert_allclose(value, was, rtol=1e-5)


@pytest.mark.parametrize("name", [each for each in NAMES if each != "gradient_rows"])
def test_in_a_function_what_was_read_before_stays_as_it_was(name):
    variable = tf.Variable(START)

    @tf.function
    def step():
        before = variable.value()
        change(variable, name, [2, 0], NEW)
        between = tf.reshape(variable.value(), [-1])
        change(variable, name, [1, 3], NEW)
        return before, between, variable.value()

    once = changed(START, name, [2, 0], NEW)
    expected = START, once.reshape(-1), changed(once, name, [1, 3], NEW)
    for value, was in zip(step(), expected, strict=True):
        np.testing.assert_allclose(value, was, rtol=1e-6)


REFERENCES = [*BY_ROWS, "scatter_nd_update", "scatter_nd_add", "scatter_nd_sub"]


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("is_resource", [False, True])
@pytest.mark.usefixtures("graph_mode")
def test_in_a_session_what_was_read_before_stays_as_it_was(name, is_resource):
    variable = v1.get_variable("v", initializer=START, use_resource=is_resource)
    rows = [[2], [0]] if "_nd_" in name else [2, 0]
    before = variable.read_value() if is_resource else v1.identity(variable) * 1.0
    with v1.control_dependencies([before]):
        update = getattr(v1, name)(variable, rows, NEW)
    with v1.control_dependencies([update]):
        after = variable.read_value()
    once = changed(START, name, [2, 0], NEW)
    with v1.Session() as session:
        session.run(variable.initializer)
        kept = session.run(variable)
        one, two = session.run([before, after])
        np.testing.assert_allclose(kept, START)
        np.testing.assert_allclose(one, START)
        np.testing.assert_allclose(two, once, rtol=1e-6)
        session.run(update)
        np.testing.assert_allclose(two, once, rtol=1e-6)
        np.testing.assert_allclose(
            session.run(variable), changed(once, name, [2, 0], NEW), rtol=1e-6
        )


def test_what_is_refused_changes_nothing():
    variable = tf.Variable(START)
    variable.assign_add(tf.zeros(SHAPE))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        variable.scatter_update(tf.IndexedSlices(NEW, [0, 9]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        variable.scatter_nd_update([[0], [9]], NEW)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast"):
        variable[0:1].assign([[1.0, 2.0]])
    np.testing.assert_array_equal(variable.numpy(), START)


SIZE = 256 * 256 * 4
LARGE = np.ones((2, 256), "f")


@pytest.mark.parametrize("name", [each for each in NAMES if each not in ("gradient_rows", *WHOLE)])
@pytest.mark.parametrize("initial", [tf.ones, tf.random.normal])
@pytest.mark.parametrize("traced", [False, True])
def test_no_second_copy_is_made(name, initial, traced):
    with tf.simulate("V100"):
        variable = tf.Variable(initial([256, 256]))

        def step():
            change(variable, name, [2, 0], LARGE)

        run = tf.function(step) if traced else step
        run()
        gc.collect()
        tf.config.experimental.reset_memory_stats("GPU:0")
        run()
        assert tf.config.experimental.get_memory_info("GPU:0")["peak"] < 1.5 * SIZE


@pytest.mark.parametrize("initial", [tf.ones, tf.random.normal, tf.random.uniform])
def test_the_first_update_of_a_new_variable_makes_no_copy(initial):
    with tf.simulate("V100"):
        variable, change_by = tf.Variable(initial([256, 256])), tf.ones([256, 256])
        tf.config.experimental.reset_memory_stats("GPU:0")
        variable.assign_add(change_by)
        variable[3:5].assign(LARGE)
        assert tf.config.experimental.get_memory_info("GPU:0")["peak"] < 2.5 * SIZE
