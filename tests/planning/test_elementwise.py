"""Runs of elementwise steps are programs of the native module, with the results of the lines."""

import platform
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise import native
from placewise.planning.scripts import runs

pytestmark = [
    pytest.mark.usefixtures("graph_mode"),
    pytest.mark.skipif(native.code is None, reason="the native module is not built"),
]
EXACT = (tf.add, tf.subtract, tf.multiply, tf.divide)


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs be used wherever they can."""
    monkeypatch.setattr(runs, "_script_cost", lambda building: 10**6 * len(building.run.steps))


def both(fetched: Any, feed: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Any, Any]:
    """Return the source with programs, its results and those of the lines alone."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        source = session.source(fetched, list(feed))
        results = session.run(fetched, feed)
    with monkeypatch.context() as patch, tf.Session() as session:
        patch.setattr(native, "code", None)
        patch.setattr(runs, "_SHORTEST", 10**9)
        session.run(tf.global_variables_initializer())
        assert "script" not in session.source(fetched, list(feed))
        plain = session.run(fetched, feed)
    return source, results, plain


def numbers(*dims: int, seed: int = 0) -> Any:
    return np.asarray(np.random.RandomState(seed).randn(*dims), "f")


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    ("dims", "other"),
    [
        ([5], [5]),
        ([7, 3], [3]),
        ([7, 3], [7, 1]),
        ([7, 3], []),
        ([1], [1]),
        ([2, 3, 4], [4]),
        ([3000], [3000]),
        ([4, 700], [700]),
        ([700, 4], [1, 4]),
    ],
)
def test_arithmetic_gives_torchs_bits(
    dims: list[int], other: list[int], monkeypatch: pytest.MonkeyPatch
):
    x, y = tf.placeholder(tf.float32, dims), tf.placeholder(tf.float32, other)
    z = x
    for op in EXACT * 2:
        z = op(z, y)
    z = tf.negative(z) * 1.5 - 0.25 * x
    fetched = [z, z - y]
    feed = {x: numbers(*dims), y: numbers(*other, seed=1)}
    source, results, plain = both(fetched, feed, monkeypatch)
    assert source.count(" = script") == 1
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.usefixtures("always")
def test_sigmoid_and_tanh_are_within_three_ulp(monkeypatch: pytest.MonkeyPatch):
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-30, 0.625, 88.0, -88.5, -104.0, 200.0]
    fed = np.concatenate([special, np.linspace(-30, 30, 4001), numbers(4000) / 8]).astype("f")
    x = tf.placeholder(tf.float32, fed.shape)
    fetched = [tf.tanh(x), tf.sigmoid(x), tf.tanh(-x), tf.sigmoid(-x)]
    source, results, plain = both(fetched, {x: fed}, monkeypatch)
    assert source.count(" = script") == 1
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
        result, expected = result[~np.isnan(fed)], expected[~np.isnan(fed)]
        np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))
        np.testing.assert_array_max_ulp(result, expected, 3)


@pytest.mark.usefixtures("always")
def test_views_are_read_and_parts_are_written_in_place(monkeypatch: pytest.MonkeyPatch):
    x = tf.placeholder(tf.float32, [6, 12])
    a, b, c = tf.split(x, 3, 1)
    pieces = [a * b + c, (a - c) * 2.0, c * c - x[:, 1:5]]
    y = tf.concat(pieces, 1)
    fetched = [y, tf.gradients(y * y, x)[0]]
    source, results, plain = both(fetched, {x: numbers(6, 12)}, monkeypatch)
    assert "script" in source
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.usefixtures("always")
def test_a_value_that_is_not_contiguous_is_read_rightly(monkeypatch: pytest.MonkeyPatch):
    x = tf.placeholder(tf.float32, [4, 6])
    y = tf.transpose(x)
    z = ((y * 2.0 + 1.0) / 3.0 - y) * y
    _, (result,), (expected,) = both([z], {x: numbers(4, 6)}, monkeypatch)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.usefixtures("always")
def test_results_of_a_program_share_no_memory():
    x = tf.placeholder(tf.float32, [4, 4])
    left, right = tf.split(x, 2, 1)
    y = ((left + right) * left - right) * 2.0
    fed = numbers(4, 4)
    with tf.Session() as session:
        first = session.run([y, y + 1.0, left], {x: fed})
        kept = [value.copy() for value in first]
        second = session.run([y, y + 1.0, left], {x: fed * 2})
    for value, copy, other in zip(first, kept, second, strict=True):
        np.testing.assert_array_equal(value, copy)
        assert not np.shares_memory(value, other)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("seed", range(25))
def test_steps_in_any_order_give_what_the_lines_give(seed: int, monkeypatch: pytest.MonkeyPatch):
    random = np.random.RandomState(seed)
    x, w = tf.placeholder(tf.float32, [4, 4]), tf.get_variable("w", initializer=numbers(4, 4) / 4)
    values = [x, x * 0.5, w + 0.0]
    for _ in range(40):
        a, b = (values[random.randint(max(0, len(values) - 6), len(values))] for _ in range(2))
        kind = random.randint(9)
        if kind < 4:
            made = (tf.add, tf.subtract, tf.multiply, tf.maximum)[kind](a, b)
        elif kind == 4:
            made = tf.matmul(a, w)
        elif kind == 5:
            made = tf.concat(tf.split(a, 2, 1)[::-1], 1)
        elif kind == 6:
            made = tf.tanh(a) + tf.sigmoid(b)
        elif kind == 7:
            made = tf.reduce_mean(a, 0, keepdims=True) - b
        else:
            made = a[:, 1:2] * b
        values.append(tf.clip_by_value(made, -2.0, 2.0) if kind in (2, 8) else made / 2.0)
    fetched = [*values[-3:], *tf.gradients(tf.reduce_sum(values[-1] * values[-2]), [x, w])]
    fetched = [value for value in fetched if value is not None]
    _, results, plain = both(fetched, {x: numbers(4, 4, seed=seed)}, monkeypatch)
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-6)


def test_the_loop_of_a_cell_is_a_program(monkeypatch: pytest.MonkeyPatch):
    x, kernel = tf.placeholder(tf.float32, [3, 6]), tf.constant(numbers(10, 16))

    def body(place: Any, h: Any, c: Any) -> Any:
        i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), kernel), 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        return place + 1, tf.tanh(c) * tf.sigmoid(o), c

    zero = tf.zeros([3, 4])
    _, h, c = tf.while_loop(lambda i, h, c: i < 6, body, (tf.constant(0), zero, zero))
    source, results, plain = both([h, c], {x: numbers(3, 6)}, monkeypatch)
    line = next(line for line in source.splitlines() if " = script" in line)
    assert line.count(",") == 3  # two results and three inputs: nothing between them is a tensor
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("left", "right"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("sizes", [(5, 7, 3), (1, 4, 9), (33, 1, 17), (20, 70, 1)])
def test_products_and_sums_of_rows_give_torchs_bits(
    sizes: tuple[int, int, int], left: bool, right: bool, monkeypatch: pytest.MonkeyPatch
):
    rows, depth, columns = sizes
    a = tf.placeholder(tf.float32, [depth, rows] if left else [rows, depth])
    b = tf.placeholder(tf.float32, [columns, depth] if right else [depth, columns])
    bias = tf.placeholder(tf.float32, [columns])
    product = tf.matmul(a + 1.0, b * 2.0, transpose_a=left, transpose_b=right)
    shifted = tf.nn.bias_add(tf.matmul(a * 0.5, b, transpose_a=left, transpose_b=right), bias)
    joined = tf.concat([product - shifted, shifted[:, :1]], 1)
    fetched = [joined, tf.reduce_sum(joined * 3.0, 0), tf.transpose(joined) + 0.5]
    feed = {a: numbers(*a.shape), b: numbers(*b.shape, seed=1), bias: numbers(columns, seed=2)}
    source, results, plain = both(fetched, feed, monkeypatch)
    assert "script" in source
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    ("rows", "columns"),
    [(1, 3), (15, 8), (16, 32), (17, 5), (257, 40), (300, 200), (40, 700), (4099, 9)],
)
def test_many_rows_are_added_in_torchs_order(
    rows: int, columns: int, monkeypatch: pytest.MonkeyPatch
):
    x = tf.placeholder(tf.float32, [rows, columns])
    total = tf.reduce_sum(x * 1.5 + 0.25, 0, keepdims=True)
    fetched = [total, (total - 1.0) * 2.0]
    source, results, plain = both(fetched, {x: numbers(rows, columns)}, monkeypatch)
    if platform.machine() == "x86_64":  # elsewhere torch's vectors may have another width
        assert source.count(" = script") == 1
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(result, expected)


def test_an_unrolled_cell_and_its_gradients_are_one_program(monkeypatch: pytest.MonkeyPatch):
    x = tf.placeholder(tf.float32, [3, 4, 5])
    kernel = tf.get_variable("kernel", initializer=numbers(11, 24) / 4)
    bias = tf.get_variable("bias", initializer=numbers(24, seed=1) / 4)
    h = c = tf.zeros([3, 6])
    for row in tf.unstack(x, axis=1):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([row, h], 1), kernel), bias)
        i, j, f, o = tf.split(gates, 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
    fetched = [h, *tf.gradients(tf.reduce_sum(h * h), [kernel, bias, x])]
    source, results, plain = both(fetched, {x: numbers(3, 4, 5)}, monkeypatch)
    assert source.count(" = script") == 1
    for result, expected in zip(results, plain, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-6)


def test_what_the_gradient_of_a_loop_adds_up_is_part_of_its_program():
    w = tf.get_variable("w", initializer=numbers(6, 6) / 4, use_resource=True)
    start = (tf.constant(0), tf.constant(numbers(3, 6)))
    _, h = tf.while_loop(
        lambda i, h: i < 5, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w)) * tf.sigmoid(h)), start
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        source = session.source(tf.gradients(tf.reduce_sum(h), [w]), [])
    lines = source.splitlines()
    added = next(place for place, line in enumerate(lines) if "AddV2" in line)
    assert lines[added].startswith(" " * 12)  # a line of the fallback


def test_threads_may_run_one_program_at_once():
    x = tf.placeholder(tf.float32, [40, 40])
    y = x
    for _ in range(8):
        y = tf.matmul(y * 0.1 + 0.2, x) - 0.3
    fed = [numbers(40, 40, seed=seed) / 4 for seed in range(4)]
    with tf.Session() as session, ThreadPoolExecutor(4) as pool:
        expected = [session.run(y, {x: each}) for each in fed]
        results = list(pool.map(lambda place: session.run(y, {x: fed[place % 4]}), range(200)))
    for place, result in enumerate(results):
        np.testing.assert_array_equal(result, expected[place % 4])


def doubled(x: Any) -> Any:
    for _ in range(6):
        x = x * 2.0 + 1.0
    return x


def test_a_variable_that_got_another_shape_is_computed_as_it_is():
    v = tf.get_variable("v", [4000], initializer=tf.zeros_initializer(), use_resource=False)
    value = tf.placeholder(tf.float32, None)
    assign = tf.assign(v, value, validate_shape=False)
    y = doubled(v)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(y).shape == (4000,)
        session.run(assign, {value: [1.0, 2.0]})
        np.testing.assert_array_equal(session.run(y), [127.0, 191.0])


def test_a_tensor_of_another_shape_than_said_is_computed_as_it_is():
    x = tf.py_func(lambda: np.ones(3, np.float32), [], tf.float32)
    x.set_shape([5000])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(doubled(x)), [127.0] * 3)


def test_long_chains_of_arrays_are_programs_and_those_of_numbers_are_numpys():
    def chained(x: Any) -> Any:
        for place in range(20):
            x = x * 1.0001 + 0.25 * place
        return x

    for dims, is_program in (([4], True), ([], False)):
        x = tf.placeholder(tf.float32, dims)
        y = chained(x)
        value = np.full(dims, 1.5, np.float32)
        expected = value
        for place in range(20):
            expected = expected * np.float32(1.0001) + np.float32(0.25 * place)
        with tf.Session() as session:
            assert ("script" in session.source(y, [x])) == is_program
            np.testing.assert_array_equal(session.run(y, {x: value}), expected)
