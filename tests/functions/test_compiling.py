"""`jit_compile=True`: the same answers from machine code, and plain words where there is none."""

from __future__ import annotations

import logging
import threading
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import native
from placewise.planning import compilation, torch_graphs

NEEDS_COMPILER = pytest.mark.skipif(
    torch_graphs.compiler_problem() is not None, reason="no C++ compiler"
)


@pytest.fixture(name="built")
def _built(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Graphs that were to become machine code: run as they are, which takes no time."""
    graphs: list[Any] = []

    def run_as_it_is(graph: Any, example: list[Any]) -> Any:
        graphs.append(graph)
        return graph

    monkeypatch.setattr(torch_graphs, "_built", run_as_it_is)
    monkeypatch.setattr(torch_graphs, "_check_compiler", lambda: None)
    return graphs


def reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if "uncompiled" in each.getMessage()]


@NEEDS_COMPILER
def test_machine_code_gives_what_python_gives() -> None:
    x = tf.constant(np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4))
    plain = tf.function(lambda x: tf.tanh(x) * 2.0 + tf.reduce_sum(x))
    fast = tf.function(lambda x: tf.tanh(x) * 2.0 + tf.reduce_sum(x), jit_compile=True)
    np.testing.assert_allclose(fast(x), plain(x), rtol=1e-6)


def test_variables_are_read_and_updated(built: list[Any]) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        v.assign_add(x)
        return v * 10.0

    assert f(tf.constant([1.0, 1.0])).numpy().tolist() == [20.0, 30.0]
    assert f(tf.constant([1.0, 1.0])).numpy().tolist() == [30.0, 40.0]
    assert v.numpy().tolist() == [3.0, 4.0]
    assert len(built) == 1


def test_a_training_step_is_one_graph(built: list[Any]) -> None:
    w = tf.Variable(np.full((3, 2), 0.5, np.float32))

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ w))
            loss = tf.reduce_mean(losses)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    x, y = tf.constant(np.eye(3, dtype=np.float32)), tf.constant([0, 1, 0])
    found = [float(tf.function(step, jit_compile=True)(x, y)), w.numpy()]
    w.assign(np.full((3, 2), 0.5, np.float32))
    wanted = [float(tf.function(step)(x, y)), w.numpy()]
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-6)
    assert len(built) == 1


def test_random_numbers_are_those_of_the_plain_function(built: list[Any]) -> None:
    def draw(x: Any) -> Any:
        return tf.nn.dropout(x, 0.5) + tf.random.normal([4])

    found = []
    for jit in (False, True):
        tf.random.set_seed(7)
        function = tf.function(draw, jit_compile=jit)
        found.append([function(tf.ones([4])).numpy().tolist() for _ in range(3)])
    assert found[0] == found[1]
    assert found[1][0] != found[1][1]
    assert len(built) == 1


def test_kernels_that_check_values_are_compiled(built: list[Any]) -> None:
    @tf.function(jit_compile=True)
    def f(x: Any, k: Any) -> Any:
        return tf.gather(x, k), tf.one_hot(k, 3), tf.tensor_scatter_nd_update(x, [[0]], [9.0])

    rows, hot, put = f(tf.constant([1.0, 2.0, 3.0]), tf.constant([2, 0]))
    assert rows.numpy().tolist() == [3.0, 1.0]
    assert hot.numpy().tolist() == [[0, 0, 1], [1, 0, 0]]
    assert put.numpy().tolist() == [9.0, 2.0, 3.0]
    assert len(built) == 1


def test_every_shape_gets_code_of_its_own_up_to_a_bound(
    built: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compilation, "_SHAPES", 3)
    f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None])], jit_compile=True)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for size in (1, 2, 3, 4, 5, 1, 5):
            assert f(tf.zeros([size])).numpy().tolist() == [1.0] * size
    assert len(built) == 3
    assert len(reasons(caplog)) == 1


def doubled_up(x: Any) -> Any:
    while tf.reduce_sum(x) < 100.0:
        x = x * 2.0
    return x


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda x: tf.strings.length(tf.strings.as_string(x)), "works on string"),
        (lambda x: tf.py_function(lambda y: y, [x], tf.float32), "acts on more than variables"),
        (lambda x: tf.random.normal(tf.shape(tf.unique(x)[0])), "how much RandomStandardNormal"),
        (doubled_up, "Python looks at a value"),
    ],
)
def test_what_cannot_be_compiled_runs_and_is_said_once(
    function: Any, words: str, built: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    traced = tf.function(function, jit_compile=True)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for _ in range(3):
            traced(tf.constant([1.0, 2.0]))
    (said,) = reasons(caplog)
    assert words in said
    assert not built


def test_a_long_loop_is_not_unrolled(
    built: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(torch_graphs, "_MAX_CALLS", 100)

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        for _ in tf.range(1000):
            x = x * 0.5 + 1.0
        return x

    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert f(tf.ones([2000])).numpy().tolist() == [2.0] * 2000
    assert "in a loop" in reasons(caplog)[0]


def test_a_loop_over_a_scalar_is_never_frozen(built: list[Any]) -> None:
    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        for _ in tf.range(2):
            x = x * 2.0
        return x

    assert [f(tf.constant([k])).numpy().tolist() for k in (1.0, 5.0)] == [[4.0], [20.0]]


def test_without_a_compiler_functions_run_and_say_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(torch_graphs, "compiler_problem", lambda: "there is no C++ compiler")
    f = tf.function(lambda x: x + 1.0, jit_compile=True)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert [float(f(tf.constant(1.0))) for _ in range(3)] == [2.0] * 3
    assert len(reasons(caplog)) == 1


def test_threads_compile_once_and_never_see_stand_ins(built: list[Any]) -> None:
    v = tf.Variable(np.ones(3, np.float32))
    f = tf.function(lambda x: x * v, jit_compile=True)
    problems: list[Exception] = []
    go_on = threading.Event()

    def read() -> None:
        try:
            while not go_on.is_set():
                v.numpy()
        except Exception as problem:
            problems.append(problem)

    def call() -> None:
        try:
            assert f(tf.fill([3], 2.0)).numpy().tolist() == [2.0] * 3
        except Exception as problem:
            problems.append(problem)

    reader = threading.Thread(target=read)
    callers = [threading.Thread(target=call) for _ in range(4)]
    for each in (reader, *callers):
        each.start()
    for each in callers:
        each.join()
    go_on.set()
    reader.join()
    assert not problems
    assert len(built) == 1


def test_everything_is_compiled_if_the_program_asks(built: list[Any]) -> None:
    tf.config.optimizer.set_jit(True)
    try:
        assert float(tf.function(lambda x: x * 3.0)(tf.constant(2.0))) == 6.0
    finally:
        tf.config.optimizer.set_jit(False)
    assert len(built) == 1


def test_gradients_of_compiled_functions(built: list[Any]) -> None:
    f = tf.function(lambda x: tf.sin(x) * x, jit_compile=True)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    wanted = np.cos(2.0) * 2.0 + np.sin(2.0)
    np.testing.assert_allclose(tape.gradient(y, x), wanted, rtol=1e-5)


def test_a_session_compiles_if_its_config_asks(built: list[Any], graph_mode: None) -> None:
    import placewise.v1 as tf1

    config = tf1.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = tf1.OptimizerOptions.ON_1
    x = tf1.placeholder(tf1.float32, [None])
    w = tf1.Variable(2.0)
    y, step = tf1.tanh(x) * w, tf1.assign_add(w, 1.0)
    with tf1.Session(config=config) as session:
        session.run(tf1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, {x: [1.0, 2.0]}), np.tanh([1, 2]) * 2, 1e-5)
        session.run(step)
        np.testing.assert_allclose(session.run(y, {x: [1.0]}), np.tanh([1]) * 3, 1e-5)
    assert built


@pytest.mark.skipif(native.code is None, reason="the native module is not built")
def test_what_is_one_program_of_the_native_module_is_not_compiled_again(built: list[Any]) -> None:
    @tf.function(jit_compile=True)
    def chained(x: Any) -> Any:
        for _ in range(60):
            x = tf.tanh(x * 1.5 + 0.1)
        return x

    x = tf.constant(np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8))
    np.testing.assert_allclose(chained(x), chained.python_function(x), rtol=1e-5)
    assert not built
