"""Loops, branches, lists of tensors and what programs keep, on a device with memory of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf

pytestmark = [
    pytest.mark.usefixtures("accelerator"),
    # Files, tables and Python functions are the CPU's.
    pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning"),
]
v1 = tf.compat.v1


def counted() -> Any:
    import test_accelerator

    return test_accelerator.counted(stacks=True)


def both(make: Any) -> tuple[Any, Any]:
    """Return what a program gives on the CPU and on the device, as arrays."""
    found = []
    for device in ("CPU:0", "GPU:0"):
        with tf.device(device):
            found.append([np.asarray(each) for each in tf.nest.flatten(make())])
    return found[0], found[1]


def check_both(make: Any) -> None:
    for mine, theirs in zip(*both(make), strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-5)


def rolled(x: Any) -> Any:
    """A loop that fills a TensorArray, in TensorFlow's own manner."""
    array = tf.TensorArray(tf.float32, size=4)
    state = tf.zeros([3])
    for i in tf.range(4):
        state = tf.tanh(state + x[i])
        array = array.write(i, state)
    return array.stack()


def test_a_loop_that_fills_an_array_gives_the_same() -> None:
    x = np.linspace(-1, 1, 12).reshape(4, 3).astype("f")
    check_both(lambda: tf.function(rolled)(tf.constant(x)))
    check_both(lambda: rolled(tf.constant(x)))


def test_so_does_its_gradient() -> None:
    x = np.linspace(-1, 1, 12).reshape(4, 3).astype("f")

    def slope(run: Any) -> Any:
        given = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(given)
            loss = tf.reduce_sum(run(given) ** 2)
        return tape.gradient(loss, given)

    check_both(lambda: slope(tf.function(rolled)))
    check_both(lambda: tf.function(lambda: slope(rolled))())


def test_a_loop_over_numbers_of_the_host_does_not_wait_for_the_device() -> None:
    @tf.function
    def run(x: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 5, lambda i, y: (i + 1, y * 2.0), (0, x))[1]

    with tf.device("GPU:0"):
        x = tf.ones([3])
        run(x)
        with counted() as trips:
            result = run(x)
    assert not trips.events, trips.events[0]
    assert result.numpy().tolist() == [32.0] * 3


def test_a_list_with_items_never_set_has_zeros_there() -> None:
    @tf.function
    def run() -> Any:
        array = tf.TensorArray(tf.float32, size=3, element_shape=[2])
        return array.write(1, tf.ones([2])).stack()

    check_both(run)


def test_integers_of_both_memories_go_into_one_list() -> None:
    @tf.function
    def run(x: Any) -> Any:
        array = tf.TensorArray(tf.int64, size=2)
        array = array.write(0, tf.constant(7, tf.int64))
        return array.write(1, tf.cast(tf.reduce_sum(x), tf.int64)).stack()

    check_both(lambda: run(tf.constant([1.0, 2.0])))


@pytest.mark.parametrize("flag", [True, False])
def test_a_branch_gives_the_same(flag: bool) -> None:
    @tf.function
    def run(flag: Any, x: Any) -> Any:
        return tf.cond(flag, lambda: x * 2.0, lambda: tf.zeros_like(x) - 1.0)

    check_both(lambda: run(tf.constant(flag), tf.constant([1.0, 2.0])))


def test_switch_case_map_and_scan_give_the_same() -> None:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)

    @tf.function
    def run(x: Any) -> Any:
        return (
            tf.switch_case(tf.constant(1), [lambda: x, lambda: x + 1.0]),
            tf.map_fn(lambda row: row * tf.reduce_sum(row), x),
            tf.scan(lambda a, b: a + b, x),
        )

    check_both(lambda: run(tf.constant(x)))


def test_arrays_and_stacks_of_a_session_give_the_same() -> None:
    found = []
    for device in ("CPU:0", "GPU:0"):
        with tf.Graph().as_default(), tf.device(device):
            x = v1.placeholder(tf.float32, [4, 2])
            array = v1.TensorArray(tf.float32, 4).unstack(x)
            _, total, filled = v1.while_loop(
                lambda i, *_: i < 4,
                lambda i, y, out, array=array: (i + 1, y * array.read(i), out.write(i, y)),
                (0, tf.ones([2]), v1.TensorArray(tf.float32, 4, clear_after_read=False)),
            )
            outcome = [total, filled.stack(), filled.concat(), v1.gradients(total, x)[0]]
            with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
                fed = np.linspace(0.5, 2, 8).reshape(4, 2)
                found.append(session.run(outcome, {x: fed}))
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-5)


def test_a_checkpoint_brings_variables_back_to_the_device(tmp_path: Path) -> None:
    with tf.device("GPU:0"):
        kept = tf.Variable([1.0, 2.0])
        path = tf.train.Checkpoint(kept=kept).save(str(tmp_path / "model"))
        other = tf.Variable([0.0, 0.0])
        tf.train.Checkpoint(kept=other).restore(path)
    assert other.numpy().tolist() == [1.0, 2.0]
    assert other._handle._value.value.device.type == "accel"


def test_a_queue_takes_from_the_device_and_gives_back() -> None:
    with tf.Graph().as_default(), tf.device("GPU:0"):
        queue = v1.FIFOQueue(3, [tf.float32], [[2]])
        put = queue.enqueue([tf.constant([1.0, 2.0]) * 3.0])
        got = queue.dequeue() + 1.0
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
            session.run(put)
            assert session.run(got).tolist() == [4.0, 7.0]


def test_a_table_answers_for_keys_of_the_device() -> None:
    with tf.device("GPU:0"):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(
                tf.constant([3, 5], tf.int64), tf.constant([1.5, 2.5])
            ),
            -1.0,
        )
        found = table.lookup(tf.constant([5, 4], tf.int64)) * 2.0
    assert found.numpy().tolist() == [5.0, -2.0]


def test_python_functions_see_arrays_and_their_results_go_on() -> None:
    @tf.function
    def run(x: Any) -> Any:
        doubled = tf.numpy_function(lambda a: a * 2, [x], tf.float32)
        return tf.py_function(lambda a: a + 1.0, [doubled], tf.float32) * x

    check_both(lambda: run(tf.constant([1.0, 2.0])))


def test_indexed_slices_become_dense_on_the_device() -> None:
    with tf.device("GPU:0"):
        table = tf.Variable(np.ones((4, 2), np.float32))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [1, 1, 3]) * 2.0)
        dense = tf.convert_to_tensor(tape.gradient(loss, table))
    assert dense._value.device.type == "accel"
    assert dense.numpy().tolist() == [[0.0, 0.0], [4.0, 4.0], [0.0, 0.0], [2.0, 2.0]]


def test_ragged_and_sparse_tensors_give_the_same() -> None:
    def run() -> Any:
        ragged = tf.RaggedTensor.from_row_splits(tf.range(6.0), [0, 2, 2, 6])
        sparse = tf.SparseTensor([[0, 1], [2, 0]], tf.constant([2.0, 3.0]), [3, 2])
        return (
            ragged.to_tensor(-1.0),
            tf.reduce_sum(ragged, 1),
            (ragged * 2.0).flat_values,
            tf.gather(ragged, [2, 0]).to_tensor(),
            tf.concat([ragged, ragged], 1).to_tensor(),
            tf.sparse.to_dense(sparse),
            tf.sparse.sparse_dense_matmul(sparse, tf.ones([2, 2])),
            tf.sparse.reduce_sum(sparse, 1),
            tf.sparse.to_dense(tf.sparse.transpose(sparse)),
            tf.sparse.to_dense(tf.sparse.concat(0, [sparse, sparse])),
        )

    check_both(run)
    check_both(tf.function(run))


def test_a_sparse_product_drops_a_row_and_marks_a_column_that_is_not_there() -> None:
    with tf.device("GPU:0"):
        made = tf.raw_ops.SparseTensorDenseMatMul(
            a_indices=np.asarray([[0, 0], [9, 0], [1, 7]]),
            a_values=[2.0, 3.0, 4.0],
            a_shape=[2, 2],
            b=tf.ones([2, 1]),
        )
    assert made.numpy()[0].tolist() == [2.0] and np.isnan(made.numpy()[1, 0])


def test_indices_out_of_range_take_zeros_and_what_they_bring_is_dropped() -> None:
    with tf.device("GPU:0"):
        x = tf.constant([1.0, 2.0, 3.0])
        assert tf.gather(x, [2, 3, -1]).numpy().tolist() == [3.0, 0.0, 0.0]
        assert tf.gather_nd(x, [[2], [3]]).numpy().tolist() == [3.0, 0.0]
        assert tf.scatter_nd([[0], [5]], [1.0, 9.0], [2]).numpy().tolist() == [1.0, 0.0]
        changed = tf.tensor_scatter_nd_update(x, [[5], [1], [-1]], [9.0, 8.0, 7.0])
        assert changed.numpy().tolist() == [1.0, 8.0, 3.0]
        assert tf.one_hot([1, 5, -1], 2).numpy().tolist() == [[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
        parts = tf.dynamic_partition(x, [1, 7, 0], 2)
        assert [part.numpy().tolist() for part in parts] == [[3.0], [1.0]]
        sparse = tf.SparseTensor([[1], [9]], [4.0, 5.0], [3])
        dense = tf.sparse.to_dense(sparse, validate_indices=False)
        assert dense.numpy().tolist() == [0.0, 4.0, 0.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = \[9\]"):
            tf.sparse.to_dense(sparse)
        # The device goes on: no kernel of torch met a bad index.
        assert tf.reduce_sum(x).numpy() == 6.0


def test_lengths_out_of_range_are_taken_as_the_whole() -> None:
    with tf.device("GPU:0"):
        turned = tf.reverse_sequence(tf.constant([[1.0, 2.0, 3.0]] * 2), [2, 9], seq_axis=1)
    assert turned.numpy().tolist() == [[2.0, 1.0, 3.0], [3.0, 2.0, 1.0]]


def test_rows_of_a_ragged_tensor_are_read_without_waiting_for_the_device() -> None:
    with tf.device("GPU:0"):
        ragged = tf.RaggedTensor.from_row_splits(tf.range(6.0), [0, 2, 2, 6])
        with counted() as trips:
            doubled = ragged * 2.0 + ragged
            ragged.row_lengths()
    assert (trips.d2h, trips.syncs) == (0, 0), trips
    assert doubled.to_list() == [[0.0, 3.0], [], [6.0, 9.0, 12.0, 15.0]]


def test_what_a_python_function_makes_on_the_host_comes_back_to_its_device() -> None:
    @tf.function
    def run(x: Any) -> Any:
        with tf.device("GPU:0"):
            made = tf.py_function(lambda a: a.numpy() + 1.0, [x], tf.float32)
            return made * x

    check_both(lambda: run(tf.constant([1.0, 2.0])))
