"""Sums of what several towers compute: the same result, and fewer terms alive at a time."""

import re

import numpy as np
import pytest
import torch

import placewise.compat.v1 as tf
from placewise.devices.inventory import simulate
from placewise.planning.passes.early_sums import _add_into

pytestmark = pytest.mark.usefixtures("graph_mode")

ROWS = np.linspace(-1, 1, 200 * 200, dtype="f").reshape(200, 200)


def test_large_terms_are_added_as_they_come():
    x = tf.placeholder(tf.float32, [200, 200])
    y = tf.add_n([tf.exp(x) * 2.0, tf.sin(x), tf.cos(x), tf.square(x)])
    with tf.Session() as session:
        value = session.run(y, {x: ROWS})
        source = session.source(y, [x])
    expected = np.exp(ROWS) * 2 + np.sin(ROWS) + np.cos(ROWS) + ROWS * ROWS
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    calls = re.findall(r"= (\w+)\(", source)
    assert calls.index("AddInto") < calls.index("Square")
    assert calls.count("AddInto") == 3


def test_terms_that_others_use_or_that_share_memory_are_left_alone():
    x = tf.placeholder(tf.float32, [200, 200])
    v = tf.Variable(ROWS, use_resource=False)
    shared = tf.exp(x)
    fetched = [
        tf.add_n([shared, tf.sin(x), tf.cos(x)]),
        shared,
        tf.add_n([x, tf.sin(x), tf.cos(x)]),
        tf.add_n([v, tf.sin(x), tf.cos(x)]),
        tf.add_n([tf.transpose(x), tf.sin(x), tf.cos(x)]),
    ]
    both = np.sin(ROWS) + np.cos(ROWS)
    expected = [np.exp(ROWS) + both, np.exp(ROWS), ROWS + both, ROWS + both, ROWS.T + both]
    given = ROWS.copy()
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(2):
            for value, wanted in zip(session.run(fetched, {x: given}), expected, strict=True):
                np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(session.run(v), ROWS)
    np.testing.assert_array_equal(given, ROWS)


def test_gradients_of_towers_are_copied_and_added_tower_by_tower():
    simulate("4xK20m")
    with tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, [200, 200])
        w = tf.Variable(ROWS, use_resource=False)
    found = []
    for index in range(4):
        with tf.device(f"/gpu:{index}"):
            found.append(tf.gradients(tf.matmul(x, w) * float(index + 1), w)[0])
    with tf.device("/cpu:0"):
        total = tf.add_n(found)
    with tf.Session() as session:
        session.run(w.initializer)
        value = session.run(total, {x: ROWS})
        source = session.source(total, [x])
    np.testing.assert_allclose(value, 10 * ROWS.T @ np.ones([200, 200], "f"), rtol=1e-3, atol=1e-3)
    added = [number for number, line in enumerate(source.splitlines()) if "AddInto(" in line]
    made = [number for number, line in enumerate(source.splitlines()) if "MatMul(" in line]
    assert len(added) == 3
    assert added[0] < made[-1]


def test_a_variable_begins_with_numbers_of_its_own():
    v = tf.Variable(ROWS, use_resource=False)
    r = tf.Variable(ROWS, use_resource=True)
    change = [v.assign_add(tf.ones([200, 200])), r.assign_add(tf.ones([200, 200]))]
    with tf.Session() as session:
        for _ in range(2):
            session.run(tf.global_variables_initializer())
            session.run(change)
            for value in session.run([v, r]):
                np.testing.assert_array_equal(value, ROWS + 1)
        assert "AssignConstant" in session.source(v.initializer)
        assert "AssignVariableOpConstant" in session.source(r.initializer)


def test_a_term_is_added_into_unless_one_number_stands_for_all_of_it():
    own, term = torch.ones(2, 3), torch.ones(2, 3)
    assert _add_into(own, term) is own and own.sum() == 12
    assumed = torch.ones(()).expand(2, 3)  # of a GPU's tensor, in a forecast
    assert _add_into(assumed, term).sum() == 12 and assumed.sum() == 6
