"""Out of memory ten thousand times, and ten thousand steps of training: nothing is lost."""

import gc
import os

import numpy as np
import pytest

import placewise as tf
from placewise import v1
from placewise.devices.inventory import inventory, simulate
from placewise.memory.ledgers import statistics_of

TIMES = 10_000
# What takes a millisecond each time is done as often only when that is asked for.
SLOW_TIMES = TIMES if os.environ.get("PLACEWISE_THOROUGH") else TIMES // 10


def in_use(device=None):
    return pool_of(device).bytes_in_use


def pool_of(device=None):
    return statistics_of(device or inventory().default)


@pytest.fixture
def small_gpu(monkeypatch):
    """A GPU with room for 64 KiB: all that is here is small, so it runs out quickly."""
    monkeypatch.setenv("PLACEWISE_MEMORY", "64KiB")
    with simulate("K40c"):
        yield


def test_eager_ops_run_out_ten_thousand_times_and_nothing_is_lost(small_gpu):
    with tf.device("GPU:0"):
        x = tf.ones([32, 32])
        held = [tf.identity(x) + 1.0 for _ in range(14)]
        gc.collect()
        before, largest = in_use(), pool_of().largest_free_bytes
        for _ in range(TIMES):
            try:
                tf.concat([x, x, x], 0)
            except tf.errors.ResourceExhaustedError:
                assert in_use() == before
            else:
                raise AssertionError("it fitted")
        assert pool_of().largest_free_bytes == largest
        del held
        assert tf.concat([x, x, x], 0).shape == [96, 32]


def test_gradients_of_a_tape_run_out_ten_thousand_times_and_nothing_is_lost(small_gpu):
    with tf.device("GPU:0"):
        x = tf.ones([32, 32])
        held = [x + 1.0 for _ in range(11)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.tanh(tf.tanh(x))
        gc.collect()
        before = in_use()
        for _ in range(TIMES):
            try:
                tape.gradient(y, x)
            except tf.errors.ResourceExhaustedError:
                assert in_use() == before
            else:
                raise AssertionError("it fitted")
        del held
        assert tape.gradient(y, x).shape == [32, 32], "the tape is as good as before"


@pytest.mark.usefixtures("graph_mode")
def test_sessions_and_their_gradients_run_out_thousands_of_times(small_gpu):
    with v1.device("/gpu:0"):
        x = v1.placeholder(v1.float32, [None, 32])
        v = v1.Variable(np.ones([32, 32], np.float32))
        y = v1.tanh(v1.matmul(x, v))
        (gradient,) = v1.gradients(v1.reduce_sum(y * y), [v])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            few, many = np.ones([4, 32], np.float32), np.ones([375, 32], np.float32)
            session.run([y, gradient], {x: few})
            for what in (y, gradient):
                gpu = session._devices[1]
                with pytest.raises(v1.errors.ResourceExhaustedError):
                    session.run(what, {x: many})
                before = in_use(gpu)
                for _ in range(SLOW_TIMES // 2):
                    try:
                        session.run(what, {x: many})
                    except v1.errors.ResourceExhaustedError:
                        assert in_use(gpu) == before
                    else:
                        raise AssertionError("it fitted")
            assert session.run(gradient, {x: few}).shape == (32, 32), "the session goes on"


def test_an_eager_training_loop_ends_with_the_bytes_it_began_with(small_gpu):
    with tf.device("GPU:0"):
        w = tf.Variable(np.ones([8, 4], np.float32))
        x = tf.ones([16, 8])

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(tf.matmul(x, w)))
            w.assign_sub(0.01 * tape.gradient(loss, w))

        for _ in range(3):
            step()
        gc.collect()
        before, peak = in_use(), pool_of().peak_bytes
        for _ in range(SLOW_TIMES):
            step()
        gc.collect()
        assert (in_use(), pool_of().peak_bytes) == (before, peak)


@pytest.mark.usefixtures("graph_mode")
def test_a_session_s_training_loop_ends_with_the_bytes_it_began_with(
    small_gpu,
):
    with v1.device("/gpu:0"):
        x = v1.placeholder(v1.float32, [None, 8])
        w = v1.Variable(np.ones([8, 4], np.float32))
        loss = v1.reduce_sum(v1.tanh(v1.matmul(x, w)))
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            feed = {x: np.ones([16, 8], np.float32)}
            for _ in range(3):
                session.run(train, feed)
            gc.collect()
            gpu = session._devices[1]
            before, peak = in_use(gpu), pool_of(gpu).peak_bytes
            for _ in range(SLOW_TIMES):
                session.run(train, feed)
            gc.collect()
            assert (in_use(gpu), pool_of(gpu).peak_bytes) == (before, peak)
        assert in_use(gpu) == 0, "the last session gives all back"


def test_what_cannot_fit_never_reaches_torch(small_gpu):
    rows = tf.ones([1 << 8, 1])
    calls = [
        lambda: tf.zeros([1 << 20, 1 << 18]),
        lambda: tf.random.normal([1 << 40]),
        lambda: tf.tile(rows, [1 << 30, 1]),
        lambda: tf.broadcast_to(rows, [1 << 8, 1 << 30]),
        lambda: tf.one_hot(tf.zeros([1 << 10], tf.int32), 1 << 30),
        lambda: tf.pad(rows, [[0, 1 << 40], [0, 0]]),
        lambda: tf.range(0.0, 1e9),
    ]
    with tf.device("GPU:0"):
        for call in calls * 2:
            if call is calls[0]:
                before = in_use()  # the second time: scalars are kept
            with pytest.raises(tf.errors.ResourceExhaustedError, match="by allocator GPU_0_bfc"):
                call()
        assert in_use() == before


@pytest.mark.parametrize("device", ["CPU:0", "GPU:0"])
def test_a_tebibyte_is_refused_in_tensorflow_s_words_everywhere(device):
    with simulate("K40c:2GiB"), tf.device(device):
        allocator = "cpu" if device == "CPU:0" else "GPU_0_bfc"
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            tf.ones([1 << 20, 1 << 18])
        assert str(caught.value).startswith(
            "OOM when allocating tensor with shape[1048576,262144] and type float on "
            f"/job:localhost/replica:0/task:0/device:{device} by allocator {allocator} [Op:Fill]"
        )
        assert "asked: 1.00TiB" in str(caught.value)


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize("device", ["CPU:0", "GPU:0"])
def test_a_session_refuses_a_tebibyte_too_and_names_the_node(device):
    with simulate("K40c:2GiB"), v1.device(device):
        rows = v1.placeholder(v1.int32, [])
        known, unknown = v1.ones([1 << 20, 1 << 18]), v1.fill([rows, 1 << 18], 2.0, name="full")
        with v1.Session() as session:
            for what, name in ((known, "ones"), (unknown, "full")):
                with pytest.raises(v1.errors.ResourceExhaustedError) as caught:
                    session.run(what, {rows: 1 << 20})
                assert f"\n\t [[node {name} (defined at " in caught.value.message
                assert "asked: 1.00TiB" in caught.value.message
