"""Variables read twice: once, as long as nothing can have changed them in between."""

import numpy as np

import placewise as tf
from placewise.ops.state.resource import assign_variable, read_variable, var_handle


def calls(function, *args):
    return function.get_concrete_function(*args).source()


def test_a_variable_is_read_once_and_what_follows_computed_once():
    v = tf.Variable(2.0)
    w = [tf.Variable([1.0, 1.0]), tf.Variable([2.0, 2.0])]

    @tf.function
    def step():
        for each in w:
            each.assign_add(tf.fill([2], tf.sqrt(v + 2.0)))

    source = calls(step)
    assert source.count("= ReadVariableOp(") == source.count("= Sqrt") == 1
    step()
    assert [each.numpy().tolist() for each in w] == [[3.0, 3.0], [4.0, 4.0]]


def test_a_variable_that_was_assigned_is_read_again():
    v, w = tf.Variable(1.0), tf.Variable(0.0)

    @tf.function
    def step(given):
        before = v + 0.0
        v.assign_add(given)
        between = v + 0.0
        w.assign(between)
        return before, between, v + 0.0

    assert calls(step, tf.constant(1.0)).count("ReadVariableOp(") == 2
    assert [float(each) for each in step(tf.constant(3.0))] == [1.0, 4.0, 4.0]
    assert float(w) == 4.0


def test_a_variable_that_is_also_an_argument_is_read_again():
    v = tf.Variable(1.0)

    @tf.function
    def step(other):
        before = v + 0.0
        other.assign(5.0)
        return before, v + 0.0

    assert [float(each) for each in step(v)] == [1.0, 5.0]


def test_branches_and_loops_may_change_what_is_read():
    v = tf.Variable(1.0)

    @tf.function
    def step(go, count):
        first = v + 0.0
        if go:
            v.assign_add(1.0)
        second = v + 0.0
        for _ in tf.range(count):
            v.assign(v * 2.0)
        return first, second, v + 0.0

    found = step(tf.constant(True), tf.constant(3))
    assert [float(each) for each in found] == [1.0, 2.0, 16.0]
    assert [float(each) for each in step(tf.constant(False), tf.constant(0))] == [16.0] * 3


def test_python_called_from_a_function_may_change_what_is_read():
    v = tf.Variable(1.0)

    def change():
        v.assign(7.0)
        return np.float32(0)

    @tf.function
    def step():
        first = v + 0.0
        tf.py_function(change, [], tf.float32)
        return first, v + 0.0

    assert [float(each) for each in step()] == [1.0, 7.0]


def test_a_session_reads_a_variable_once():
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=3.0, use_resource=True)
        product = v * v
        with tf.compat.v1.Session() as session:
            session.run(v.initializer)
            assert session.source(product).count("ReadVariableOp(") == 1
            assert session.run(product) == 9.0


def test_a_session_reads_a_variable_again_after_an_assignment_by_another_handle_of_it():
    with tf.Graph().as_default():
        one, two = (var_handle(dtype=tf.float32, shape=(), shared_name="shared") for _ in range(2))
        first = assign_variable(one, tf.constant(1.0))
        before = read_variable(one, dtype=tf.float32)
        with tf.control_dependencies([before]):
            change = assign_variable(two, tf.constant(5.0))
        with tf.control_dependencies([change]):
            after = read_variable(one, dtype=tf.float32)
        with tf.compat.v1.Session() as session:
            session.run(first)
            assert session.run([before, after]) == [1.0, 5.0]
