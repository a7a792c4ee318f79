"""What a recorder keeps of a program: ops, copies, runs and memory in time."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import placewise as tf
from placewise.core.scope import watch
from placewise.profiler.recorder import Recorder
from placewise.profiler.recording import called
from placewise.profiler.sampling import EVERYTHING, Sampling

tf1 = tf.compat.v1
_ARRAY = np.ones([2, 4], np.float32)


@pytest.fixture
def machine():
    with tf.simulate("2xV100"):
        yield


@pytest.fixture
def session(machine):
    with tf1.Graph().as_default(), tf1.Session() as session:
        yield session


def _two_devices():
    fed = tf1.placeholder(tf1.float32, [None, 4], name="fed")
    with tf1.device("/gpu:0"):
        hidden = tf1.nn.relu(fed, name="hidden")
    with tf1.device("/gpu:1"):
        total = tf1.reduce_sum(hidden, name="total")
    return fed, total


def _recorded(run, sampling=None):
    recorder = Recorder(sampling)
    recorder.start()
    try:
        run()
    finally:
        recording = recorder.stop()
    return recording


def _ran(recording):
    nodes = recording.nodes
    return [(nodes[op.node].op, called(nodes[op.node].device)) for op in recording.ops]


def test_ops_have_the_time_device_line_reason_and_shapes_that_they_ran_with(session):
    fed, total = _two_devices()
    recording = _recorded(lambda: session.run(total, {fed: _ARRAY}))
    assert _ran(recording) == [("Relu", "GPU:0"), ("Sum", "GPU:1")]
    relu, summed = (recording.nodes[op.node] for op in recording.ops)
    assert relu.inputs == ("float32[2,4]",) and summed.outputs == ("float32[]",)
    assert relu.reason == "requested /device:GPU:0"
    assert "test_recorder.py:" in relu.line
    first, second = recording.ops
    assert recording.began < first.start < first.finish <= second.start < recording.ended
    assert summed.sources == {recording.nodes.index(relu)}


def test_copies_lead_from_the_op_that_made_a_value_to_the_one_that_reads_it(session):
    fed, total = _two_devices()
    recording = _recorded(lambda: session.run(total, {fed: _ARRAY}))
    ends = [
        (
            item.copy.kind,
            called(item.copy.source),
            called(item.copy.target),
            item.maker,
            item.reader,
        )
        for item in recording.copies
    ]
    assert ends == [
        ("feed", "CPU:0", "GPU:0", -1, 0),
        ("copy", "GPU:0", "GPU:1", 0, 1),
        ("fetch", "GPU:1", "CPU:0", 1, -1),
    ]
    assert all(item.finish >= item.start for item in recording.copies)


def test_ops_of_few_runs_and_durations_of_all_are_kept(session):
    fed, total = _two_devices()
    recording = _recorded(lambda: [session.run(total, {fed: _ARRAY}) for _ in range(20)])
    (group,) = recording.groups
    assert (group.kind, group.count, group.ops) == ("session", 20, 2)
    assert [run.number for run in recording.runs if run.is_detailed] == [1, 2, 3, 4, 8, 16]
    assert len(recording.runs) == 20 and all(run.finish > run.start for run in recording.runs)
    assert len(recording.ops) == 6 * 2
    assert group.shortest_ns <= group.total_ns / 20 <= group.longest_ns


def test_between_the_runs_that_are_recorded_programs_take_their_fast_paths(session):
    fed, total = _two_devices()
    recorder = Recorder()
    recorder.start()
    assert watch.on
    for _ in range(5):
        session.run(total, {fed: _ARRAY})
    assert not watch.on
    recorder.stop()
    assert watch.unit is None


def test_a_large_plan_stops_being_recorded_when_there_are_enough_ops(session):
    fed, total = _two_devices()
    sampling = Sampling(most_ops=5)
    recording = _recorded(lambda: [session.run(total, {fed: _ARRAY}) for _ in range(9)], sampling)
    assert len(recording.ops) == 4 and recording.groups[0].count == 9


def test_run_metadata_and_record_tell_the_same_of_a_run(session):
    fed, total = _two_devices()
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    metadata = tf1.RunMetadata()
    with tf.record() as log:
        recording = _recorded(lambda: session.run(total, {fed: _ARRAY}, options, metadata))
    ran = {(recording.nodes[op.node].name, recording.nodes[op.node].device) for op in recording.ops}
    stats = {
        (node.node_name, device.device): node
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    assert {key for key in stats if not key[0].startswith("copy_")} == ran
    assert {(entry.name, entry.device) for entry in log} == ran
    assert [item.copy for item in recording.copies] == log.transfers
    for op in recording.ops:
        node = recording.nodes[op.node]
        told = stats[node.name, node.device]
        assert abs(told.all_start_nanos - recording.epoch_ns(op.start)) < 50_000_000


def test_memory_is_sampled_per_device_and_for_the_host(session):
    fed, total = _two_devices()
    big = np.ones([1000, 4], np.float32)
    recording = _recorded(lambda: session.run(total, {fed: big}))
    samples = {called(name): curve for name, curve in recording.memory.items()}
    assert max(sample.nbytes for sample in samples["GPU:0"]) >= big.nbytes
    assert max(sample.nbytes for sample in recording.memory["host"]) > 1 << 20


def test_a_run_that_fails_is_marked_and_recording_goes_on(session):
    fed, total = _two_devices()
    failing = tf1.check_numerics(total / 0.0, "not a number")

    def run():
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(failing, {fed: _ARRAY})
        session.run(total, {fed: _ARRAY})

    recording = _recorded(run)
    assert [run.failed for run in recording.runs] == [True, False]


def test_eager_ops_are_one_node_a_line_with_their_sources(machine):
    def run():
        values = tf.ones([4])
        for _ in range(3):
            values = tf.nn.relu(values)

    recording = _recorded(run)
    (relu,) = [node for node in recording.nodes if node.op == "Relu"]
    assert relu.count == 3 and relu.is_eager and relu.inputs == ("float32[4]",)
    assert relu.name.startswith("test_recorder.py:") and relu.name.endswith("/Relu")


def test_eager_ops_have_sources_on_other_devices(machine):
    def run():
        with tf.device("/gpu:0"):
            first = tf.nn.relu([1.0])
        with tf.device("/gpu:1"):
            tf.add_n([first, first])

    recording = _recorded(run)
    names = [node.op for node in recording.nodes]
    assert recording.nodes[names.index("AddN")].sources == {names.index("Relu")}


def test_functions_and_tapes_are_runs(machine):
    @tf.function
    def double(x):
        return x * 2.0

    variable = tf.Variable(1.0)

    def run():
        for _ in range(6):
            double(tf.constant(1.0))
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = variable * 3.0
            variable.assign_sub(tape.gradient(loss, variable))

    recording = _recorded(run)
    counts = {group.kind: group.count for group in recording.groups}
    assert counts == {"function": 6, "tape": 6}
    detailed = [recording.groups[run.group].kind for run in recording.runs if run.is_detailed]
    assert detailed == ["function"] * 4 + ["tape"] * 4


def test_single_ops_are_recorded_up_to_a_limit_that_the_recording_tells(machine):
    sampling = Sampling(most_loose=10)
    recording = _recorded(lambda: [tf.nn.relu([1.0]) for _ in range(50)], sampling)
    assert len(recording.ops) == 10
    assert "up to 10 in a row" in recording.notes[0]


def test_ops_of_other_threads_have_their_own_thread(session):
    fed, total = _two_devices()

    def run():
        thread = threading.Thread(target=lambda: session.run(total, {fed: _ARRAY}))
        thread.start()
        thread.join(30)
        session.run(total, {fed: _ARRAY})

    recording = _recorded(run, EVERYTHING)
    assert len(recording.ops) == 4
    assert {op.thread == recording.main_thread for op in recording.ops} == {True, False}


def test_a_recorded_program_is_warned_of_nothing_more_than_without(machine):
    graph = tf1.Graph()
    with graph.as_default(), tf1.device("/gpu:0"):
        fed = tf1.placeholder(tf1.string, [])
        text = tf1.strings.join([fed, "b"])
    config = tf1.ConfigProto(allow_soft_placement=True)
    with tf1.Session(graph=graph, config=config) as session:
        recording = _recorded(
            lambda: session.run(text, {fed: b"a"})
        )  # warnings are errors in tests
    assert [node.fell_back for node in recording.nodes if node.op == "StringJoin"] == [True]


def test_two_recorders_may_be_on_at_once(session):
    fed, total = _two_devices()
    outer = Recorder()
    outer.start()
    inner = _recorded(lambda: session.run(total, {fed: _ARRAY}))
    session.run(total, {fed: _ARRAY})
    assert (len(inner.ops), len(outer.stop().ops)) == (2, 4)
