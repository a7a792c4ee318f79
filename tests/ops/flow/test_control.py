"""Branches: cond, case, switch_case."""

import pytest

import placewise as tf


def test_only_the_chosen_branch_runs():
    ran = []
    result = tf.cond(tf.constant(1) < 2, lambda: ran.append("yes") or 3, lambda: ran.append("no"))
    assert (result, ran) == (3, ["yes"])


def test_a_gradient_flows_through_the_chosen_branch():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.cond(x > 0, lambda: x * x, lambda: -x)
    assert float(tape.gradient(y, x)) == 6.0


def test_a_condition_of_several_elements_is_ambiguous():
    with pytest.raises(ValueError, match="truth value of an array"):
        tf.cond(tf.constant([True, False]), lambda: 1, lambda: 2)


def test_branches_must_be_functions():
    with pytest.raises(TypeError, match="'true_fn' must be callable"):
        tf.cond(True, 1, lambda: 2)
    with pytest.raises(TypeError, match="'false_fn' argument required"):
        tf.cond(True, lambda: 1)


def test_case_takes_the_first_that_holds_and_unpacks_a_single_value():
    yes, no = tf.constant(True), tf.constant(False)
    assert tf.case([(no, lambda: 1), (yes, lambda: [2]), (yes, lambda: 3)]) == 2
    assert tf.case([(yes, lambda: [2])], default=lambda: 4, strict=True) == [2]
    assert tf.case([(no, lambda: 1)], default=lambda: 4) == 4


def test_case_without_default_needs_one_that_holds():
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated"):
        tf.case([(tf.constant(False), lambda: 1), (tf.constant(False), lambda: 2)])


def test_exclusive_case_refuses_two_that_hold():
    yes = tf.constant(True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
        tf.case([(yes, lambda: 1), (yes, lambda: 2)], default=lambda: 3, exclusive=True)


@pytest.mark.parametrize(("index", "expected"), [(0, 10), (1, 20), (7, 30), (-1, 30)])
def test_switch_case_beyond_the_branches_is_the_default(index, expected):
    branches = {0: lambda: 10, 1: lambda: 20}
    assert tf.switch_case(tf.constant(index), branches, default=lambda: 30) == expected


def test_switch_case_checks_its_keys():
    with pytest.raises(ValueError, match=r"contiguous range of \[0 to 2\) but found \{0,2\}"):
        tf.switch_case(tf.constant(0), {0: lambda: 1, 2: lambda: 2})
    with pytest.raises(TypeError, match="'branch_index' must be a Tensor"):
        tf.switch_case(0, [lambda: 1])
