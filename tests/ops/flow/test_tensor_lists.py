"""Lists of tensors as values, their gradients, and the stacks of TensorFlow 1's loops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.ops.flow import stacks
from placewise.ops.flow.list_values import TensorList
from tests.ops.flow.list_cases import CASES, ROWS, Calls, answer

ANSWERS = json.loads((Path(__file__).parent / "list_answers.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_a_call_gives_tensorflows_answer(name: str) -> None:
    assert answer(tf, CASES[name]) == ANSWERS[name]


def test_a_list_that_grows_leaves_the_shorter_one_alone() -> None:
    c = Calls(tf)
    one = c.push(c.empty([2]), [1.0, 2.0])
    two, other = c.push(one, [3.0, 4.0]), c.push(one, [5.0, 6.0])
    shorter, last = c.pop(two)
    again = c.push(shorter, [7.0, 8.0])
    lists = [c.stack(each).numpy()[:, 0].tolist() for each in (one, two, other, shorter, again)]
    assert lists == [[1.0], [1.0, 3.0], [1.0, 5.0], [1.0], [1.0, 7.0]]
    assert last.numpy().tolist() == [3.0, 4.0]


def test_older_lists_keep_what_was_replaced_since() -> None:
    versions = [TensorList(tf.int32, None, [0, 0, 0])]
    for place, item in ((0, 1), (1, 2), (0, 3), (4, 5)):
        versions.append(versions[-1].with_item(place, item))
    assert [each.seen(0) for each in versions] == [0, 1, 1, 3, 3]
    expected = [[0, 0, 0], [1, 0, 0], [1, 2, 0], [3, 2, 0], [3, 2, 0, None, 5]]
    assert [versions[k].items() for k in (2, 0, 4, 1, 3)] == [expected[k] for k in (2, 0, 4, 1, 3)]
    assert versions[1].with_item(2, 9).items() == [1, 0, 9]
    assert [each.items() for each in versions] == expected


def test_an_old_list_may_lose_its_last_item_too() -> None:
    first = TensorList(tf.int32, None, [1, 2, 3])
    second = first.cut(2)
    third = second.cut(1).with_item(1, 7)
    assert [each.items() for each in (third, second, first)] == [[1, 7], [1, 2], [1, 2, 3]]


def gradient(function: Any, x: Any) -> Any:
    """Return the gradient of a sum of squares, taken op by op and in a function alike."""

    def both() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(function(Calls(tf), x) ** 2)
        return tape.gradient(loss, x)

    found = both().numpy()
    np.testing.assert_array_equal(found, tf.function(both)().numpy())
    return found.tolist()


@pytest.mark.parametrize(
    ("function", "factors"),
    [
        (lambda c, x: c.stack(c.of(x)), [2, 2, 2]),
        (lambda c, x: c.get(c.of(x), 1), [0, 2, 0]),
        (lambda c, x: c.stack(c.put(c.of(x), 1, 3 * x[0])), [20, 0, 2]),
        (lambda c, x: c.stack(c.put(c.of(x), 4, x[0], True)), [4, 2, 2]),
        (lambda c, x: c.gather(c.of(x), [1, 1, 2]), [0, 4, 2]),
        (lambda c, x: c.get(c.scatter([2, 0, 1], [2], 5, x), 0), [0, 2, 0]),
        (lambda c, x: c.stack(c.into(c.of(x), [2, 0], x[:2])), [2, 4, 0]),
        (lambda c, x: c.get(c.split([1, 2], [-1, 2], x), 1), [0, 2, 2]),
        (lambda c, x: c.concat(c.split([1, 2], [-1, 2], x), [-1, 2])[0], [2, 2, 2]),
        (lambda c, x: c.stack(c.push(c.of(x), x[0])), [4, 2, 2]),
        (lambda c, x: c.pop(c.of(x))[1], [0, 0, 2]),
        (lambda c, x: c.stack(c.pop(c.of(x))[0]), [2, 2, 0]),
        (lambda c, x: c.stack(c.ops.TensorListResize(input_handle=c.of(x), size=2)), [2, 2, 0]),
        (lambda c, x: c.sum(c.of(x), c.of(x)), [8, 8, 8]),
    ],
)
def test_gradients_go_through_lists(function: Any, factors: list[int]) -> None:
    expected = np.array(ROWS) * np.array(factors)[:, None]
    assert gradient(function, tf.constant(ROWS)) == expected.tolist()


def test_gradients_of_gradients_go_through_lists() -> None:
    @tf.function
    def second(x: Any) -> Any:
        c = Calls(tf)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                given = c.put(c.of(x), 0, c.get(c.of(x), 1) ** 2)
                loss = tf.reduce_sum(c.stack(given) ** 2)
            slope = inner.gradient(loss, x)
        return outer.gradient(slope, x)

    # The loss is the sum of x1^4 + x1^2 + x2^2.
    rows = np.array(ROWS)
    expected = [[0.0, 0.0], (12 * rows[1] ** 2 + 2).tolist(), [2.0, 2.0]]
    assert second(tf.constant(ROWS)).numpy().tolist() == expected


def test_a_stack_gives_back_the_last_first() -> None:
    stack = stacks.stack(-1, elem_type=tf.float32)
    stacks.push(stack, 1.0)
    stacks.push(stack, 2.0)
    assert float(stacks.pop(stack, elem_type=tf.float32)) == 2.0
    stacks.close(stack)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is empty when calling Pop"):
        stacks.pop(stack, elem_type=tf.float32)
