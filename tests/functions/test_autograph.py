"""Conversion of functions: what stays as the user wrote it, and what is said when it cannot be."""

from __future__ import annotations

import inspect
import logging
import traceback
from typing import Any

import numpy as np
import pytest

import placewise as tf
import placewise.v1 as tf1
from placewise.functions.autograph import converted, register_for
from placewise.functions.autograph.calls import callee


def absolute(x: Any) -> Any:
    if x > 0:  # noqa: SIM108 - an `if` is what is converted
        y = x
    else:
        y = -x
    return y


def failing(x: Any) -> Any:
    total = x
    for _ in tf.range(3):
        if x > 0:
            total = total + tf.constant([1.0, 2.0, 3.0]) @ x  # this line
    return total


def test_a_converted_function_decides_when_a_graph_of_tensorflow_1_runs(graph_mode: None) -> None:
    x = tf1.placeholder(tf.float32, [])
    found = converted(absolute)(x)
    with tf1.Session() as session:
        assert session.run([found], {x: -2.0}) == [2.0]
        assert session.run([found], {x: 3.0}) == [3.0]


def test_a_converted_function_run_eagerly_is_plain_python() -> None:
    assert converted(absolute)(-3) == 3
    assert converted(absolute)(tf.constant(-3.0)).numpy() == 3.0


def test_an_error_shows_the_users_file_function_and_line() -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
        tf.function(failing)(tf.constant(1.0))
    frames = traceback.extract_tb(caught.value.__traceback__)
    own = [each for each in frames if each.filename == __file__ and each.name == "failing"]
    lines = inspect.getsource(failing).splitlines()
    first = failing.__code__.co_firstlineno
    wanted = [first + n for n, line in enumerate(lines) if "this line" in line]
    assert [own[-1].lineno] == wanted
    assert [first + 2, first + 3] == [own[0].lineno, own[1].lineno]


def test_the_right_one_of_several_lambdas_in_a_line_is_converted() -> None:
    one, two = (lambda v: v if v > 0 else v - 1), (lambda v: v if v > 0 else v - 2)
    assert tf.function(one)(tf.constant(-1)).numpy() == -2
    assert tf.function(two)(tf.constant(-1)).numpy() == -3


def test_name_defaults_and_cells_stay() -> None:
    count = 0

    def counted(x: Any, step: int = 2, *, extra: int = 1) -> Any:
        """Count."""
        nonlocal count
        count += step + extra
        return x

    made = converted(counted)
    assert made(5) == 5
    assert made(5, extra=0) == 5
    assert count == 5
    assert (made.__name__, made.__doc__) == ("counted", "Count.")
    assert inspect.signature(made) == inspect.signature(counted).replace(
        return_annotation=inspect.Signature.empty,
        parameters=[
            each.replace(annotation=inspect.Parameter.empty)
            for each in inspect.signature(counted).parameters.values()
        ],
    )


def test_a_function_inside_is_converted_with_the_one_around_it() -> None:
    def outer() -> Any:
        def inner(x: Any) -> Any:
            if x > 0:
                return x
            return -x

        return inner

    inner = converted(outer)()
    assert converted(inner) is inner
    assert tf.function(inner, autograph=False)(tf.constant(-4)).numpy() == 4


def test_a_function_without_source_runs_as_it_is_and_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    space: dict[str, Any] = {}
    exec("def unseen(x):\n    if x > 0:\n        return x\n    return -x", space)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert converted(space["unseen"]) is space["unseen"]
        converted(space["unseen"])
    (told,) = [each.message for each in caplog.records]
    assert told.startswith("AutoGraph could not transform <function unseen at")
    assert "and will run it as-is.\nCause: " in told
    assert told.endswith("@tf.autograph.experimental.do_not_convert")


def test_what_is_marked_is_not_converted() -> None:
    raw = tf.autograph.experimental.do_not_convert(absolute)

    @tf.function
    def calls(x: Any) -> Any:
        return raw(x)

    assert raw(-2) == 2
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Using a symbolic"):
        calls(tf.constant(1.0))


def test_autograph_off_leaves_python_alone() -> None:
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
        tf.function(absolute, autograph=False)(tf.constant(1.0))


def test_conversion_that_is_not_recursive_leaves_helpers_alone() -> None:
    def calls(x: Any) -> Any:
        return absolute(x)

    with tf.Graph().as_default(), pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.autograph.to_graph(calls, recursive=False)(tf.constant(1.0) + 0)


def test_generators_stay_generators() -> None:
    def numbers(n: int) -> Any:
        yield from range(n)

    assert converted(numbers) is numbers


def test_functions_of_libraries_are_called_as_they_are() -> None:
    for function in (tf.add, np.sum, inspect.signature, print, object, tf.function(absolute)):
        assert callee(function) is function


def test_to_code_shows_what_a_function_became() -> None:
    text = tf.autograph.to_code(absolute)
    assert text.startswith("def absolute(x")
    assert "ag__.if_(x > 0, " in text
    with pytest.raises(ValueError, match="Error converting"):
        tf.autograph.to_code(eval("lambda v: v"))


def test_tracing_prints_once_and_running_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def told(x: Any) -> Any:
        tf.autograph.trace("tracing", 1)
        return x

    told(tf.constant(1))
    told(tf.constant(2))
    assert capsys.readouterr().out == "tracing 1\n"


def test_a_class_may_say_how_loops_go_over_its_objects() -> None:
    class Twice:
        def __init__(self, item: Any) -> None:
            self.item = item

    def run(given: Any, more: Any, body: Any, get: Any, put: Any, names: Any, options: Any) -> None:
        assert names == ("total",)
        body(given.item)
        body(given.item)

    register_for(Twice, run)

    @tf.function
    def summed(x: Any) -> Any:
        total = x
        for item in Twice(x):
            total = total + item
        return total

    assert summed(tf.constant(2)).numpy() == 6


def test_leaving_a_loop_over_an_iterator_takes_no_element_too_many() -> None:
    iterator = iter(tf.data.Dataset.range(10))

    @tf.function
    def first_above(limit: Any) -> Any:
        found = tf.constant(-1, tf.int64)
        for each in iterator:
            found = each
            if each > limit:
                break
        return found

    assert first_above(tf.constant(3, tf.int64)).numpy() == 4
    assert next(iterator).numpy() == 5


def test_effects_in_branches_and_loops_happen_as_often_as_they_run() -> None:
    variable = tf.Variable(0)

    @tf.function
    def stepping(n: Any) -> None:
        for i in tf.range(n):
            if i % 2 == 0:
                variable.assign_add(i)

    stepping(tf.constant(7))
    stepping(tf.constant(0))
    assert variable.numpy() == 12


def test_a_variable_read_too_early_is_an_unbound_local() -> None:
    def early(x: Any) -> Any:
        if x is None:
            y = 1
        if x > 0:  # noqa: SIM108 - an `if` is what is converted
            z = y
        else:
            z = x
        return z

    with pytest.raises(UnboundLocalError, match="'y' is used before assignment"):
        tf.function(early)(tf.constant(1.0))


def test_a_long_unrolled_loop_is_traced_once_per_signature() -> None:
    def unrolled(x: Any) -> Any:
        for _ in range(50):
            x = x + 1
        return x

    function = tf.function(unrolled)
    assert [function(tf.constant(n)).numpy() for n in (1, 2)] == [51, 52]
    assert function.experimental_get_tracing_count() == 1


def test_a_function_inside_may_change_a_variable_of_a_loop() -> None:
    def summed(n: Any) -> Any:
        total = 0

        def add(k: Any) -> None:
            nonlocal total
            total += k

        for i in tf.range(n):
            add(i)
        return total

    assert tf.function(summed)(tf.constant(4)).numpy() == 6


def test_methods_of_a_class_inside_are_converted_when_called() -> None:
    def made(x: Any) -> Any:
        class Signs:
            def of(self, value: Any) -> Any:
                if value > 0:
                    return 1
                return -1

        return Signs().of(x)

    assert tf.function(made)(tf.constant(-4)).numpy() == -1


def test_a_return_inside_try_is_a_return() -> None:
    def tried(x: Any) -> Any:
        try:
            if x > 0:
                return x * 2
            return x
        finally:
            pass

    assert tf.function(tried)(tf.constant(-4)).numpy() == -4
    assert tf.function(tried)(tf.constant(4)).numpy() == 8


def test_a_loop_goes_over_the_rows_of_a_ragged_tensor() -> None:
    def summed(x: Any) -> Any:
        total = x
        for row in tf.ragged.constant([[1, 2], [3], []], dtype=tf.int32):
            total = total * 10 + tf.reduce_sum(row)
        return total

    assert tf.function(summed)(tf.constant(0)).numpy() == 330


def test_a_method_decides_by_a_tensor():
    class Sign:
        @tf.function
        def __call__(self, x):
            if x > 0:
                return tf.constant("positive")
            return tf.constant("not")

    sign = Sign()
    assert [sign(tf.constant(n)).numpy() for n in (1, -1)] == [b"positive", b"not"]


@pytest.mark.parametrize("value", [np.float64(2.0), np.float64("nan"), np.float32(2.0)])
def test_numpys_scalars_are_tensors_as_arguments(value):
    doubled = tf.function(lambda x: x * 2)
    assert doubled(value).dtype == value.dtype
    doubled(value * 3)
    assert doubled.experimental_get_tracing_count() == 1


def test_numpys_strings_are_tensors_as_arguments():
    assert int(tf.function(tf.strings.length)(np.bytes_(b"abc"))) == 3


def test_a_loop_that_never_ran_leaves_no_value():
    @tf.function
    def last(n):
        for i in tf.range(n):
            found = i * 2
        return found

    assert int(last(tf.constant(3))) == 4
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="loop must iterate at least once to initialize found",
    ):
        last(tf.constant(0))


def test_an_item_read_after_a_loop_over_no_rows_raises():
    @tf.function
    def last(rows):
        total = 0.0
        for row in rows:
            total += row
        return row, total

    assert [float(value) for value in last(tf.constant([1.0, 2.0]))] == [2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least once to initialize row"):
        last(tf.constant([]))


def test_only_the_last_loop_of_an_item_must_run():
    @tf.function
    def last(first, second):
        total = 0.0
        for row in first:
            total += row
        for row in second:
            total += row
        return row, total

    assert float(last(tf.constant([]), tf.constant([3.0]))[0]) == 3.0


def test_the_item_of_a_range_has_a_value_without_an_iteration():
    @tf.function
    def last(start):
        total = 0
        for number in tf.range(start, 5):
            total += number
        return number, total

    assert [int(last(tf.constant(start))[0]) for start in (3, 7)] == [4, 7]


def test_the_else_of_a_loop_is_refused_only_where_conversions_must_not_fail(monkeypatch):
    def count(limit):
        number = 0
        while number < limit:
            number += 1
        else:
            number = number * 10
        return number

    monkeypatch.setenv("AUTOGRAPH_STRICT_CONVERSION", "1")
    with pytest.raises(NotImplementedError, match="while/else"):
        tf.function(count)(tf.constant(3))
    monkeypatch.delenv("AUTOGRAPH_STRICT_CONVERSION")
    assert int(tf.function(count)(tf.constant(3))) == 30
