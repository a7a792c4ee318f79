"""Arrays that go into and come out of a session: what is done to them changes nothing in it."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf

tf1 = tf.compat.v1


@pytest.fixture
def session():
    with tf1.Graph().as_default(), tf1.Session() as session:
        yield session


_FETCHES = {
    "constant": lambda: tf1.constant([1.0, 2.0, 3.0]),
    "strings": lambda: tf1.constant(["a", "b", "c"]),
    "bfloat16": lambda: tf1.constant([1.0, 2.0, 3.0], tf1.bfloat16),
    "reference variable": lambda: tf1.Variable([1.0, 2.0, 3.0], use_resource=False),
    "resource variable": lambda: tf1.Variable([1.0, 2.0, 3.0], use_resource=True),
    "view of a constant": lambda: tf1.reshape(tf1.constant([1.0, 2.0, 3.0]), [3, 1])[:, 0],
    "view of a variable": lambda: tf1.Variable([[1.0, 2.0, 3.0]], use_resource=True)[0],
    "result": lambda: tf1.constant([1.0, 2.0, 3.0]) * 2,
}


@pytest.mark.parametrize("kind", _FETCHES)
def test_a_fetched_array_may_be_written_to_and_the_session_stays(session, kind):
    fetch = _FETCHES[kind]()
    session.run(tf1.global_variables_initializer())
    before = session.run(fetch).copy()
    for _ in range(3):  # the first run plans, later ones take shortcuts
        array = session.run(fetch)
        array[0] = array[1]
        np.testing.assert_array_equal(session.run(fetch), before)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_fetched_array_stays_when_the_variable_changes(session, use_resource):
    variable = tf1.Variable([1.0, 2.0], use_resource=use_resource)
    more = variable.assign_add([1.0, 1.0])
    session.run(variable.initializer)
    array = session.run(variable)
    session.run(more)
    assert array.tolist() == [1, 2]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_stays_when_the_array_it_was_fed_changes(session, use_resource):
    variable = tf1.Variable([1.0, 2.0], use_resource=use_resource)
    fed = tf1.placeholder(tf1.float32, [2])
    update = variable.assign(fed).op
    array = np.zeros(2, np.float32)
    session.run(update, {fed: array})
    array[:] = 5
    assert session.run(variable).tolist() == [0, 0]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_stays_when_the_fetched_result_of_its_assignment_changes(session, use_resource):
    variable = tf1.Variable([1.0, 2.0], use_resource=use_resource)
    fed = tf1.placeholder(tf1.float32, [2])
    updated = variable.assign(fed)
    session.run(updated, {fed: np.zeros(2, np.float32)})[:] = 7
    assert session.run(variable).tolist() == [0, 0]


def test_what_is_passed_through_is_not_the_fed_array(session):
    fed = tf1.placeholder(tf1.float32, [2])
    passed = tf1.identity(fed)
    array = np.zeros(2, np.float32)
    for _ in range(3):
        session.run(passed, {fed: array})[:] = 5
        assert array.tolist() == [0, 0]


def test_a_fetched_array_stays_when_the_fed_one_changes(session):
    fed = tf1.placeholder(tf1.float32, [2])
    view = tf1.reshape(fed, [2, 1])
    array = np.zeros(2, np.float32)
    for _ in range(3):
        fetched = session.run(view, {fed: array})
        array[:] += 1
        assert fetched.reshape(-1).tolist() == (array - 1).tolist()
