"""Saying and checking while a graph runs."""

import pytest

from placewise.compat import v1 as tf
from placewise.core import errors

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_an_assertion_fails_when_it_runs() -> None:
    x = tf.placeholder(tf.float32, [2])
    check = tf.Assert(tf.reduce_all(x > 5), [x, "x"])
    with tf.Session() as session:
        session.run(check, {x: [6, 7]})
        with pytest.raises(errors.InvalidArgumentError, match=r"assertion failed: \[3 4\] \[x\]"):
            session.run(check, {x: [3, 4]})


def test_what_waits_for_an_assertion_fails_with_it() -> None:
    x = tf.placeholder(tf.float32, [2])
    with tf.control_dependencies([tf.assert_equal(x, [1.0, 2.0], message="unlike")]):
        y = tf.identity(x)
    with tf.Session() as session:
        assert session.run(y, {x: [1, 2]}).tolist() == [1, 2]
        words = r"\[unlike\] \[Condition x == y did not hold element-wise:\] \[x \(Placeholder:0\)"
        with pytest.raises(errors.InvalidArgumentError, match=words):
            session.run(y, {x: [2, 1]})


def test_constants_that_differ_fail_at_once() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Condition x == y did not hold"):
        tf.assert_equal(tf.constant(1), 2)


def test_signs_and_ranks() -> None:
    x = tf.placeholder(tf.float32)
    checks = [tf.assert_positive(x), tf.assert_rank(x, 1), tf.assert_rank_in(x, [1, 2])]
    with tf.Session() as session:
        session.run(checks, {x: [1.0]})
        with pytest.raises(errors.InvalidArgumentError, match="Condition x > 0 did not hold"):
            session.run(checks[0], {x: [-1.0]})
        with pytest.raises(errors.InvalidArgumentError, match="must have rank"):
            session.run(checks[1], {x: 1.0})


def test_print_writes_when_its_input_is_computed(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([3.0, 4.0])
    shown = tf.Print(x, [x, tf.range(10), ["s"]], message="seen: ", first_n=1)
    with tf.Session() as session:
        for _ in range(2):
            assert session.run(shown).tolist() == [3, 4]
    assert capsys.readouterr().err == "seen: [3 4][0 1 2...][s]\n"


def test_print_lets_gradients_through() -> None:
    x = tf.constant([3.0])
    (slope,) = tf.gradients(tf.Print(x, [x]) * 2.0, x)
    with tf.Session() as session:
        assert session.run(slope).tolist() == [2.0]


def test_printing_is_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([3.0, 4.0])
    said = tf.print("a", x, {"b": x})
    with tf.Session() as session:
        session.run(said)
    assert capsys.readouterr().err == "a [3 4] {'b': [3 4]}\n"


def test_every_tensor_can_be_checked() -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.log(x)
    check = tf.add_check_numerics_ops()
    with tf.Session() as session:
        session.run([y, check], {x: 1.0})
        with pytest.raises(errors.InvalidArgumentError, match=r"Log:0 : Tensor had (Inf|NaN)"):
            session.run([y, check], {x: -1.0})


def test_a_string_alone_is_printed_without_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    text = tf.constant("scalar")
    with tf.Session() as session:
        session.run([tf.print(text)])
        session.run([tf.print("a", text), tf.print(tf.strings.format("{}", tf.constant(1)))])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "scalar" and set(lines[1:]) == {'a "scalar"', "1"}
