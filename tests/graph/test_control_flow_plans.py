"""Branches and loops of graphs: how they are written, placed, differentiated and refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import placewise
import placewise.v1 as tf
from placewise.graph.cond import smart_cond


@pytest.fixture(autouse=True)
def in_graph_mode(graph_mode: None) -> Iterator[None]:
    yield


def run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def source(fetches: Any, feeds: Any = ()) -> str:
    return tf.Session().source(fetches, feeds)


def test_a_cond_is_an_if_statement() -> None:
    x, p = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.tanh(x), lambda: x)
    assert source(y, [x, p]) == (
        "def run(f0, f1):\n"
        "    if f1:\n"
        "        v1 = Tanh(f0)\n"
        "        v0 = v1\n"
        "        del v1\n"
        "    else:\n"
        "        v0 = f0\n"
        "    return (v0,)\n"
    )


def test_a_loop_of_scalars_is_a_while_statement_on_numbers() -> None:
    i = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [0])
    assert source(i) == (
        "def run():\n"
        "    v0 = n1\n"
        "    while True:\n"
        "        v1 = v0 < n2\n"
        "        if not v1: break\n"
        "        del v1\n"
        "        v2 = v0 + n3\n"
        "        v0 = v2\n"
        "        del v2\n"
        "    v3 = tensor(v0)\n"
        "    del v0\n"
        "    return (v3,)\n"
    )


def test_a_loop_computes_only_what_is_asked_for() -> None:
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * 2.0, tf.tanh(b)), [0, 1.0, 2.0]
    )
    assert "Tanh" not in source(a)
    assert "Tanh" in source(b)


def test_a_loop_keeps_values_only_for_its_gradient() -> None:
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y), [0, x])
    gradient = tf.gradients(y, x)[0]
    assert ".append(" not in source(y)
    assert source(gradient).count(".append(") == 1


def test_a_known_predicate_leaves_one_branch() -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(tf.constant(False), lambda: tf.tanh(x), lambda: tf.sin(x))
    assert "if" not in source(y, [x])
    assert "Tanh" not in source(y, [x])


def test_integers_of_a_loop_wrap_around() -> None:
    y = tf.while_loop(lambda y, i: i < 40, lambda y, i: (y * 3, i + 1), [1, 0])[0]
    assert run(y) == np.int32(np.uint64(pow(3, 40, 2**32)).astype(np.uint32).view(np.int32))


def test_a_division_by_zero_in_a_loop_is_an_error() -> None:
    y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y // i), [0, 7])[1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        run(y)


def test_an_error_inside_a_loop_names_its_node() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.while_loop(
        lambda i, y: i < 2, lambda i, y: (i + 1, y + tf.reshape(x, [2])), [0, tf.zeros([2])]
    )[1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="node while/Reshape"):
        run(y, {x: [1.0, 2.0, 3.0]})


def test_loops_are_differentiated_three_times() -> None:
    x = tf.constant(3.0)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y), [0, x])
    first = tf.gradients(y, x)[0]
    second = tf.gradients(first, x)[0]
    third = tf.gradients(second, x)[0]
    expected = [3.0**8, 8 * 3.0**7, 56 * 3.0**6, 336 * 3.0**5]
    np.testing.assert_allclose(run([y, first, second, third]), expected)


def test_a_fold_over_an_array_has_second_derivatives() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    first = tf.gradients(tf.foldl(lambda a, r: a * r, x), x)[0]
    rows = [tf.gradients(first[k], x)[0] for k in range(3)]
    np.testing.assert_allclose(run(rows), [[0, 3, 2], [3, 0, 1], [2, 1, 0]])


def test_branches_in_loops_in_loops_have_second_derivatives() -> None:
    x, w = tf.placeholder(tf.float64, []), tf.placeholder(tf.float64, [])

    def inner(j: Any, b: Any) -> Any:
        return j + 1, tf.cond(b > 5.0, lambda: tf.sin(b) * w, lambda: b * b * w + x)

    def outer(i: Any, a: Any) -> Any:
        return i + 1, tf.while_loop(lambda j, b: j < i, inner, [0, a])[1]

    y = tf.while_loop(lambda i, a: i < 4, outer, [0, x])[1]
    first = tf.gradients(y, [x, w])
    second = tf.gradients(first[0], [x, w])
    at = {x: 0.7, w: 1.3}
    with tf.Session() as session:
        found = session.run([first, second], at)
        for k, source_ in enumerate((x, w)):
            step = 1e-6
            up, down = ({**at, source_: at[source_] + s} for s in (step, -step))
            for target, exact in ((y, found[0][k]), (first[0], found[1][k])):
                numeric = (session.run(target, up) - session.run(target, down)) / (2 * step)
                np.testing.assert_allclose(exact, numeric, 1e-5, 1e-6)


def test_operations_inside_run_where_they_were_asked_to() -> None:
    with placewise.simulate("2xK40c"):
        x = tf.constant([1.0, 2.0])

        def body(i: Any, y: Any) -> Any:
            with tf.device("/gpu:1"):
                y = y * 2.0
            with tf.device("/cpu:0"):
                return i + 1, y + 1.0

        y = tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]
        gradient = tf.gradients(y, x)[0]
        session = tf.Session()
        placed = {op.name: device.name[-5:] for op, device in session._placement.current().items()}
        assert (placed["while/mul"], placed["while/add"]) == ("GPU:1", "CPU:0")
        np.testing.assert_allclose(session.run([y, gradient]), [[15, 23], [8, 8]])


def test_a_loop_may_use_variables_of_several_devices() -> None:
    with placewise.simulate("2xK40c"):
        with tf.device("/gpu:0"):
            a = tf.Variable(2.0)
        with tf.device("/gpu:1"):
            b = tf.Variable(3.0, use_resource=True)
        y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * a + b), [0, 1.0])[1]
        assert run([y, tf.gradients(y, [a, b])]) == [13.0, [7.0, 3.0]]


def test_what_comes_from_outside_is_copied_before_the_loop() -> None:
    with placewise.simulate("2xK40c"):
        w = tf.placeholder(tf.float32, [3])
        with tf.device("/gpu:1"):
            y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * w), [0, tf.ones([3])])[1]
        text = source(y, [w])
    assert "copy(f0" in text.partition("while True")[0]


def test_effects_in_a_branch_happen_in_order() -> None:
    v, p = tf.Variable(1.0), tf.placeholder(tf.bool, [])

    def double_then_add() -> Any:
        with tf.control_dependencies([tf.assign(v, v * 2.0)]):
            return tf.assign_add(v, 1.0)

    y = tf.cond(p, double_then_add, lambda: tf.assign(v, 0.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(y, {p: p_}) for p_ in (True, True, False, True)] == [3, 7, 0, 1]


def test_smart_cond_calls_one_function_if_it_can() -> None:
    called = []
    assert smart_cond(True, lambda: called.append("yes") or 1, lambda: called.append("no")) == 1
    assert smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2
    assert called == ["yes"]
    p = tf.placeholder(tf.bool, [])
    assert run(smart_cond(p, lambda: 1, lambda: 2), {p: True}) == 1


def test_a_branch_may_not_use_what_the_other_made() -> None:
    kept: list[Any] = []
    x, p = tf.constant(1.0), tf.placeholder(tf.bool, [])

    def first() -> Any:
        kept.append(x + 1.0)
        return kept[0]

    with pytest.raises(ValueError, match="Cannot use 'cond/add' as input to"):
        tf.cond(p, first, lambda: kept[0] * 2.0)


def test_a_loop_goes_on_where_another_run_left_off() -> None:
    v = tf.Variable(0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 4, body, [0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(loop)
        session.run(loop)
        assert session.run(v) == 8


def test_ten_thousand_iterations_take_little_time() -> None:
    import time

    y = tf.while_loop(
        lambda i, y: i < 10000, lambda i, y: (i + 1, (y * 0.5 + 1.0) - 0.25), [0, 1.0]
    )
    with tf.Session() as session:
        session.run(y)
        began = time.perf_counter()
        session.run(y)
        assert time.perf_counter() - began < 0.5  # TensorFlow: 0.1 s; here 4 ms when undisturbed
