"""Functions of datasets as plain Python, after `tf.data.experimental.enable_debug_mode`."""

import pytest

import placewise
import placewise as tf
from placewise.data.debug_mode import debug_mode


@pytest.fixture(autouse=True)
def debugging():
    tf.data.experimental.enable_debug_mode()
    yield
    debug_mode.is_on = False


def values(dataset):
    return [int(value) for value in dataset.as_numpy_iterator()]


def watched(function):
    """Return a function that notes if its calls run eagerly, and the notes."""
    eager = []

    def call(*arguments):
        eager.append(tf.executing_eagerly())
        return function(*arguments)

    return call, eager


ONCE_TRACED = [False, True, True, True]


@pytest.mark.parametrize(
    ("method", "function", "expected"),
    [
        ("map", lambda x: x * 2, [0, 2, 4]),
        ("filter", lambda x: x > 0, [1, 2]),
        ("flat_map", tf.data.Dataset.from_tensors, [0, 1, 2]),
        ("interleave", tf.data.Dataset.from_tensors, [0, 1, 2]),
        ("take_while", lambda x: x < 2, [0, 1]),
    ],
)
def test_the_python_runs_for_each_element(method, function, expected):
    call, eager = watched(function)
    dataset = getattr(tf.data.Dataset.range(3), method)(call)
    assert eager == [False]
    assert values(dataset) == expected
    assert eager == ONCE_TRACED


def test_states_pass_from_call_to_call():
    call, eager = watched(lambda state, x: state + x)
    assert int(tf.data.Dataset.range(3).reduce(tf.constant(0, tf.int64), call)) == 3
    assert eager == ONCE_TRACED
    call, eager = watched(lambda state, x: (state + x, state))
    assert values(tf.data.Dataset.range(3).scan(tf.constant(0, tf.int64), call)) == [0, 0, 1]
    assert eager == ONCE_TRACED


def test_parallel_calls_keep_their_order():
    seen = []

    def note(x):
        if tf.executing_eagerly():
            seen.append(int(x))
        return x

    assert values(tf.data.Dataset.range(20).map(note, num_parallel_calls=4)) == list(range(20))
    assert seen == list(range(20))


def test_structures_and_python_numbers_come_back():
    dataset = tf.data.Dataset.range(2).map(lambda x: {"a": x, "b": [x, x + 1], "c": 1.5})
    assert [element["b"].numpy().tolist() for element in dataset] == [[0, 1], [1, 2]]
    assert dataset.element_spec["c"].dtype == tf.float32


def test_functions_of_graphs_read_such_datasets():
    call, eager = watched(lambda x: x + 1)

    @tf.function
    def total():
        result = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(3).map(call):
            result += x
        return result

    assert int(total()) == 6
    assert eager == ONCE_TRACED


def test_results_on_a_gpu_are_brought_to_the_host():
    with placewise.simulate("1xK20m"):

        def on_gpu(x):
            with tf.device("/GPU:0"):
                return tf.cast(x, tf.float32) * 2.0

        dataset = tf.data.Dataset.range(3).map(on_gpu)
        assert values(dataset) == [0, 2, 4]
        assert "CPU" in next(iter(dataset)).device


def test_datasets_made_before_keep_their_graphs():
    debug_mode.is_on = False
    call, eager = watched(lambda x: x)
    dataset = tf.data.Dataset.range(3).map(call)
    tf.data.experimental.enable_debug_mode()
    assert values(dataset) == [0, 1, 2]
    assert eager == [False]


def test_it_is_refused_in_functions():
    with pytest.raises(ValueError, match="only supported in eager mode"):
        tf.function(tf.data.experimental.enable_debug_mode)()
