"""A bounded part of the attacks on processes: kills, interrupts, threads, order on the disk."""

import pytest

import placewise as tf
from placewise.memory import host
from tests.hardening import failing_workers, threads
from tests.hardening.kills import FORMATS, Kills
from tests.hardening.soak import graph, grown, ops
from tests.hardening.sync_order import faults, observed


@pytest.mark.filterwarnings("ignore")  # of Keras itself
@pytest.mark.parametrize("name", FORMATS)
def test_files_are_on_the_disk_before_they_take_anothers_place(name, tmp_path):
    save, read = FORMATS[name]
    save(str(tmp_path), 1)
    with observed() as events:
        save(str(tmp_path), 2)
    assert any(what == "rename" for what, _ in events)
    assert faults(events) == []
    assert (read(str(tmp_path)) == 2).all()


@pytest.mark.filterwarnings("ignore")  # Python warns of forks in processes with threads
@pytest.mark.parametrize("number", range(3))
def test_a_kill_while_saving_leaves_a_whole_save(number):
    assert Kills().run(number) is None


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_fails_is_named_and_nothing_learnt_is_lost(monkeypatch):
    monkeypatch.setattr(failing_workers, "LIMIT_SECONDS", 60.0)  # the time is judged by the attack
    monkeypatch.setattr(failing_workers, "TIMEOUT_SECONDS", 1.5)
    attack = failing_workers.FailingWorkers()
    assert [attack.run(number) for number in range(2)] == [None, None]


@pytest.mark.parametrize("attack", [threads.sessions, threads.functions, threads.eager])
def test_many_threads_get_their_own_results(attack):
    assert attack(8, 40) == []


def test_closing_a_session_ends_the_runs_of_others():
    assert threads.closing(3) == []


@pytest.mark.parametrize("work", [ops, graph])
def test_memory_does_not_grow(work):
    assert grown(work, 60) == []


def test_a_reference_op_refuses_eager_execution_by_name():
    with pytest.raises(RuntimeError, match="assign op does not support eager execution"):
        tf.raw_ops.Assign(ref=1.0, value=2.0)


def test_an_id_that_asks_for_gigabytes_is_refused_before_they_are_allocated(monkeypatch):
    monkeypatch.setattr(host, "available_bytes", lambda: 2 << 30)
    calls = (
        lambda: tf.math.segment_prod([1.0], [2**31 - 1]),
        lambda: tf.math.segment_max([1.0], [2**31 - 1]),
        lambda: tf.math.bincount([2**31 - 2]),
        lambda: tf.dynamic_stitch([[2**31 - 1]], [[1.0]]),
        lambda: tf.raw_ops.SparseBincount(
            indices=[[0]],
            values=[1],
            dense_shape=[1],
            size=2**31 - 1,
            weights=tf.zeros([0]),
        ),
    )
    for call in calls:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
            call()
