"""Input through queues: runners, producers, batches; the answers are TensorFlow 1.15's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def drawn(make: Callable[[], Any], count: int = 12) -> list[Any]:
    """Return what a pipeline gives, until it ends; its threads are gone afterwards."""
    fetched = make()
    found: list[Any] = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while len(found) < count:
                found.append(session.run(fetched))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coordinator.request_stop()
            coordinator.join(threads)
    assert not any(thread.is_alive() for thread in threads)
    return found


def test_names_of_files_are_given_out_epoch_by_epoch() -> None:
    names = ["a", "b", "c"]
    found = drawn(
        lambda: tf.train.string_input_producer(names, num_epochs=2, shuffle=False).dequeue()
    )
    assert found == [b"a", b"b", b"c", b"a", b"b", b"c"]


def test_epochs_are_shuffled_as_in_tensorflow() -> None:
    found = drawn(
        lambda: tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, seed=4).dequeue()
    )
    assert found == [b"b", b"c", b"a", b"c", b"a", b"b"]


def test_the_graphs_seed_counts_too() -> None:
    tf.set_random_seed(7)
    found = drawn(lambda: tf.train.range_input_producer(6, seed=1).dequeue(), 9)
    assert [int(each) for each in found] == [0, 2, 5, 3, 1, 4, 4, 2, 5]


def slices(epochs: int) -> Any:
    return tf.train.slice_input_producer(
        [np.arange(5), np.arange(10.0).reshape(5, 2)], num_epochs=epochs, shuffle=False
    )


def test_slices_go_together_and_what_fills_no_batch_is_lost() -> None:
    found = drawn(lambda: tf.train.batch(slices(2), 3))
    assert [batch[0].tolist() for batch in found] == [[0, 1, 2], [3, 4, 0], [1, 2, 3]]
    assert found[1][1].tolist() == [[6.0, 7.0], [8.0, 9.0], [0.0, 1.0]]


def test_the_last_batch_may_be_smaller() -> None:
    found = drawn(lambda: tf.train.batch(slices(1), 3, allow_smaller_final_batch=True))
    assert [batch[0].tolist() for batch in found] == [[0, 1, 2], [3, 4]]


def test_batches_are_shuffled_as_in_tensorflow() -> None:
    def make() -> Any:
        row = tf.train.slice_input_producer([np.arange(5)], num_epochs=2, shuffle=False)
        return tf.train.shuffle_batch(row, 3, 20, 10, seed=2)

    assert [batch.tolist() for batch in drawn(make)] == [[1, 3, 1], [0, 3, 2], [4, 2, 4]]


def test_elements_of_different_sizes_are_padded() -> None:
    def make() -> Any:
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        return tf.train.batch([tf.range(number)], 2, dynamic_pad=True)

    found = [batch.tolist() for batch in drawn(make)]
    assert found == [[[0], [0]], [[0, 1, 0], [0, 1, 2]]]


def test_only_some_elements_may_be_kept() -> None:
    def make() -> Any:
        number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        return tf.train.maybe_batch([number], tf.equal(number % 3, 0), 2)

    assert [batch.tolist() for batch in drawn(make)] == [[0, 3], [6, 9]]


def test_rows_may_be_kept_one_by_one() -> None:
    def make() -> Any:
        rows = tf.constant([[1, 2], [3, 4], [5, 6]])
        return tf.train.maybe_batch([rows], [True, False, True], 2, enqueue_many=True)

    assert drawn(make, 1)[0].tolist() == [[1, 2], [5, 6]]


def test_several_sources_are_joined_each_with_a_thread() -> None:
    def make() -> Any:
        one = tf.train.range_input_producer(4, num_epochs=1).dequeue()
        two = tf.train.range_input_producer(4, num_epochs=1).dequeue() + 10
        return tf.train.batch_join([{"a": one}, {"a": two}], 2)

    found = np.concatenate([batch["a"] for batch in drawn(make)])
    assert sorted(found.tolist()) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_a_limit_of_epochs_is_kept_in_a_local_variable() -> None:
    limited = tf.train.limit_epochs(tf.constant(1.0), 2)
    assert [each.name for each in tf.local_variables()] == ["limit_epochs/epochs:0"]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert [session.run(limited), session.run(limited)] == [1.0, 1.0]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            session.run(limited)


def test_matching_files_are_looked_for_once(tmp_path: Any) -> None:
    (tmp_path / "a.txt").touch()
    names = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        (tmp_path / "b.txt").touch()
        assert session.run(names).tolist() == [str(tmp_path / "a.txt").encode()]


def test_a_runner_fills_its_queue_and_closes_it_at_the_end() -> None:
    queue = tf.FIFOQueue(10, tf.int32, name="q")
    count = tf.Variable(0)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(count.count_up_to(3))])
    taken = queue.dequeue()
    with tf.Session() as session:
        session.run(count.initializer)
        threads = runner.create_threads(session, start=True)
        assert [thread.name for thread in threads] == ["QueueRunnerThread-q-q_enqueue"]
        assert [int(session.run(taken)) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient"):
            session.run(taken)
        threads[0].join(10)
        assert runner.exceptions_raised == []


def test_an_error_in_a_runner_reaches_the_coordinator() -> None:
    queue = tf.FIFOQueue(10, tf.int32, name="q")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.Variable(0, name="v"))])
    tf.train.add_queue_runner(runner)
    coordinator = tf.train.Coordinator()
    with tf.Session() as session:
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
            coordinator.join(threads)


def test_a_runner_survives_as_a_message() -> None:
    queue = tf.FIFOQueue(10, tf.int32, name="q")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
    message = runner.to_proto()
    assert (message.queue_name, list(message.enqueue_op_name)) == ("q", ["q_enqueue"])
    again = tf.train.QueueRunner.from_proto(message)
    assert (again.name, again.enqueue_ops, again.cancel_op) == (
        "q",
        runner.enqueue_ops,
        runner.cancel_op,
    )
    assert again.queue_closed_exception_types == (tf.errors.OutOfRangeError,)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda t: t.string_input_producer([]), ValueError, "requires a non-null input tensor"),
        (lambda t: t.slice_input_producer([]), ValueError, "Expected at least one tensor in slice"),
        (lambda t: t.batch([], 3), ValueError, "Expected at least one tensor in batch"),
        (lambda t: t.batch_join([], 3), ValueError, "Expected at least one set of tensors"),
        (lambda t: t.limit_epochs(1.0, 0), ValueError, "num_epochs must be > 0 not 0"),
        (lambda t: t.shuffle_batch([1], 2, 10, 20), ValueError, "capacity 10 must be bigger than"),
        (lambda t: t.maybe_batch([1], [True], 2), ValueError, "`keep_input` cannot be a vector"),
        (lambda t: t.batch_join([[1], [2.0]], 3), TypeError, "consistent: int32 vs. float32"),
        (lambda t: t.QueueRunner(None), ValueError, "Must provide queue and enqueue_ops"),
        (lambda t: t.start_queue_runners(), ValueError, "No default session is registered"),
        (lambda t: t.start_queue_runners(3), TypeError, "sess must be a `tf.Session` object"),
    ],
)
def test_what_makes_no_pipeline_is_refused(make: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        make(tf.train)


def test_summaries_tell_how_full_the_queues_are() -> None:
    tf.train.batch([tf.constant(1)], 2, capacity=4, name="plain")
    tf.train.shuffle_batch([tf.constant(1)], 2, 10, 3, name="mixed")
    with tf.Session() as session:
        found = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    assert {each.tag: each.simple_value for each in found.value} == {
        "plain/fraction_of_4_full": 0.0,
        "mixed/fraction_over_3_of_7_full": 0.0,
    }
