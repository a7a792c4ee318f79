"""Sessions under `record`, `assert_on`, `copies` and `strict`: what runs is told, and guarded."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf

tf1 = tf.compat.v1
_ARRAY = np.ones([2, 4], np.float32)


@pytest.fixture
def session():
    with tf.simulate("2xV100"), tf1.Graph().as_default(), tf1.Session() as session:
        yield session


def _ops(log):
    return [(each.op, each.device[-5:]) for each in log]


def _told(log, *kinds):
    return [
        (each.kind, each.source[-5:], each.target[-5:], each.bytes)
        for each in log.transfers
        if not kinds or each.kind in kinds
    ]


def _fed():
    return tf1.placeholder(tf1.float32, [None, 4], name="fed")


def test_each_op_has_an_entry_with_device_reason_and_line(session):
    fed = _fed()
    with tf1.device("/gpu:1"):
        total = tf1.reduce_sum(tf1.nn.relu(fed), name="total")
    with tf.record() as log:
        session.run(total, {fed: _ARRAY})
    assert _ops(log) == [("Relu", "GPU:1"), ("Sum", "GPU:1")]
    entry = log.entries[1]
    assert entry.name == "total"
    assert entry.requested == "/device:GPU:1"
    assert entry.reason == "requested /device:GPU:1"
    assert "test_record.py:" in entry.line


def test_feeds_and_fetches_are_told_with_their_bytes(session):
    fed = _fed()
    doubled = tf1.multiply(fed, 2.0, name="doubled")
    session.run(doubled, {fed: _ARRAY})
    with tf.record() as log:
        session.run(doubled, {fed: _ARRAY})
    assert _told(log) == [("feed", "CPU:0", "GPU:0", 32), ("fetch", "GPU:0", "CPU:0", 32)]
    feed, fetch = log.transfers
    assert (feed.tensor, feed.op) == ("fed:0", "doubled")
    assert (fetch.tensor, fetch.op) == ("doubled:0", "")
    assert log.copies() == []


@pytest.mark.parametrize("rows", [1, 5])
def test_bytes_are_those_of_the_run(session, rows):
    fed = _fed()
    doubled = fed * 2.0
    with tf.record() as log:
        session.run(doubled, {fed: np.ones([rows, 4], np.float32)})
    assert _told(log, "feed", "fetch") == [
        ("feed", "CPU:0", "GPU:0", 16 * rows),
        ("fetch", "GPU:0", "CPU:0", 16 * rows),
    ]


def test_nothing_moves_for_a_session_on_the_cpu(session):
    fed = _fed()
    with tf1.device("/cpu:0"):
        doubled = fed * 2.0
    with tf.record() as log:
        session.run(doubled, {fed: _ARRAY})
    assert log.transfers == []
    assert _ops(log) == [("Mul", "CPU:0")]


def test_int32_and_strings_stay_on_the_host(session):
    whole = tf1.placeholder(tf1.int32, [3])
    text = tf1.placeholder(tf1.string, [2])
    with tf1.device("/gpu:0"):
        more = tf1.identity(whole) + 1
    with tf.record() as log:
        session.run([more, tf1.identity(text)], {whole: [1, 2, 3], text: ["a", "b"]})
    assert log.transfers == []


def test_a_copy_between_devices_names_tensor_and_reader(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        first = tf1.nn.relu(fed, name="first")
    with tf1.device("/gpu:1"):
        second = tf1.negative(first, name="second")
        third = tf1.exp(first, name="third")
    with tf.record() as log:
        session.run([second, third], {fed: _ARRAY})
    (copy,) = log.copies()
    assert (copy.source[-5:], copy.target[-5:], copy.bytes) == ("GPU:0", "GPU:1", 32)
    assert (copy.tensor, copy.op, copy.input) == ("first:0", "second", 0)
    by_name = {entry.name: entry for entry in log}
    assert by_name["second"].copies == (copy,)
    assert by_name["third"].copies == ()


def test_a_value_that_is_fetched_and_read_by_an_op_is_copied_once(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        first = tf1.nn.relu(fed)
    with tf1.device("/cpu:0"):
        second = tf1.negative(first)
    with tf.record() as log:
        session.run([first, second], {fed: _ARRAY})
    assert _told(log, "copy", "fetch") == [("copy", "GPU:0", "CPU:0", 32)]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_on_a_gpu_is_fetched_from_there(session, use_resource):
    with tf1.device("/gpu:0"):
        variable = tf1.Variable(tf1.zeros([3]), use_resource=use_resource)
    session.run(variable.initializer)
    with tf.record() as log:
        session.run(variable)
    assert _told(log) == [("fetch", "GPU:0", "CPU:0", 12)]


def test_constants_go_to_a_device_when_the_run_is_planned(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        sums = fed + tf1.constant([1.0, 2.0, 3.0, 4.0])
    counts = []
    for _ in range(2):
        with tf.record() as log:
            session.run(sums, {fed: _ARRAY})
        counts.append(_told(log, "constant"))
    assert counts == [[("constant", "CPU:0", "GPU:0", 16)], []]


def test_constants_are_in_memory_once_though_two_programs_use_them(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        sums = fed + tf1.constant(np.ones([1 << 20, 4], np.float32))[:2]
    session.run(sums, {fed: _ARRAY})
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    with tf.record():
        session.run(sums, {fed: _ARRAY})
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] == before


def test_what_is_computed_when_planning_is_not_told(session):
    constant = tf1.constant([1.0]) + 2.0
    with tf.record() as log:
        session.run(constant)
    assert _ops(log) == []


def test_ops_done_in_one_call_are_listed_in_its_entry(session):
    fed = _fed()
    dense = tf1.nn.bias_add(
        tf1.matmul(fed, tf1.ones([4, 3]), name="product"), tf1.ones([3]), name="dense"
    )
    with tf.record() as log:
        session.run(dense, {fed: _ARRAY})
    (entry,) = [entry for entry in log if entry.name == "dense"]
    assert entry.fused == ("MatMul (product)",)
    assert "MatMul + BiasAdd" in log.table()


def test_a_sum_over_devices_is_one_op_and_each_term_from_elsewhere_a_copy(session):
    fed = tf1.placeholder(tf1.float32, [200, 200])
    terms = []
    for gpu in (0, 1, 1):
        with tf1.device(f"/gpu:{gpu}"):
            terms.append(tf1.matmul(fed, fed, transpose_a=len(terms) == 2) * (len(terms) + 1.0))
    with tf1.device("/gpu:0"):
        total = tf1.add_n(terms)
    with tf.record() as log:
        session.run(total, {fed: np.ones([200, 200], np.float32)})
    assert [each[0] for each in _ops(log)].count("AddN") == 1
    assert _told(log, "copy") == [("copy", "GPU:1", "GPU:0", 160_000)] * 2


@pytest.mark.parametrize("takes_first", [True, False])
def test_of_branches_the_one_that_runs_is_told(session, takes_first):
    fed = _fed()
    chosen = tf1.placeholder(tf1.bool, [])
    result = tf1.cond(chosen, lambda: tf1.exp(fed), lambda: tf1.negative(fed))
    with tf.record() as log:
        session.run(result, {fed: _ARRAY, chosen: takes_first})
    assert [each[0] for each in _ops(log)] == ["Exp" if takes_first else "Neg"]


@pytest.mark.parametrize("count", [0, 3])
def test_ops_of_a_loop_are_told_each_time(session, count):
    fed = _fed()
    times = tf1.placeholder(tf1.int32, [])
    _, result = tf1.while_loop(lambda i, x: i < times, lambda i, x: (i + 1, tf1.tanh(x)), [0, fed])
    with tf.record() as log:
        session.run(result, {fed: _ARRAY, times: count})
    names = [each[0] for each in _ops(log)]
    assert names.count("Tanh") == count
    assert names.count("Less") == count + 1


def test_a_condition_computed_on_a_gpu_is_read_by_the_host(session):
    fed = _fed()
    result = tf1.cond(tf1.reduce_sum(fed) > 1, lambda: tf1.exp(fed), lambda: tf1.negative(fed))
    with tf.record() as log:
        session.run(result, {fed: _ARRAY})
    assert _told(log, "host") == [("host", "GPU:0", "CPU:0", 1)]


@pytest.mark.parametrize("runs", [1, 2, 4])
def test_a_run_is_told_however_often_it_ran_before(session, runs):
    fed = tf1.placeholder(tf1.float32, [2])
    with tf1.device("/cpu:0"):
        result = fed + 1.0
    array = np.zeros(2, np.float32)
    for _ in range(runs):
        session.run(result, {fed: array})
    with tf.record() as log:
        assert session.run(result, {fed: array}).tolist() == [1, 1]
    assert _ops(log) == [("AddV2", "CPU:0")]


def test_a_traced_run_is_told_too(session):
    fed = _fed()
    metadata = tf1.RunMetadata()
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    with tf.record() as log:
        session.run(tf1.exp(fed), {fed: _ARRAY}, options, metadata)
    assert _ops(log) == [("Exp", "GPU:0")]
    assert metadata.step_stats.dev_stats


def test_callables_and_runs_in_parts_are_told(session):
    fed = _fed()
    result = tf1.exp(fed)
    handle = session.partial_run_setup([result], [fed])
    with tf.record() as log:
        session.make_callable(result, [fed])(_ARRAY)
        session.partial_run(handle, result, {fed: _ARRAY})
    assert _ops(log) == [("Exp", "GPU:0")] * 2


def test_random_numbers_go_on_as_if_nobody_had_recorded():
    def drawn(records):
        with tf1.Graph().as_default(), tf1.Session() as session:
            tf1.set_random_seed(3)
            numbers = tf1.random_normal([4])
            found = []
            for is_recorded in records:
                if is_recorded:
                    with tf.record():
                        found.append(session.run(numbers))
                else:
                    found.append(session.run(numbers))
            return np.stack(found)

    np.testing.assert_array_equal(drawn([False, True, False]), drawn([False, False, False]))


# Guards.


def test_assert_on_sees_the_ops_of_a_session(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        first = tf1.exp(fed)
    with tf1.device("/gpu:1"):
        second = tf1.negative(first)
    with tf.assert_on("/gpu:0"):
        session.run(first, {fed: _ARRAY})
    with pytest.raises(AssertionError, match="Neg ran on GPU:1"), tf.assert_on("/gpu:0"):
        session.run(second, {fed: _ARRAY})


def test_a_forbidden_copy_is_refused_before_anything_changes(session):
    with tf1.device("/gpu:0"):
        count = tf1.Variable(0.0, use_resource=True)
        more = count.assign_add(1.0)
    with tf1.device("/gpu:1"), tf1.control_dependencies([more]):
        elsewhere = tf1.exp(count.value() * 1.5)
    session.run(count.initializer)
    with (
        tf.copies("forbid"),
        pytest.raises(tf.errors.InvalidArgumentError, match="conflicting devices"),
    ):
        session.run([elsewhere, more])
    assert session.run(count) == 0
    session.run([elsewhere, more])
    assert session.run(count) == 1


def test_feeds_and_fetches_are_not_forbidden(session):
    fed = _fed()
    with tf1.device("/gpu:1"):
        result = tf1.exp(fed)
    with tf.copies("forbid"):
        session.run(result, {fed: _ARRAY})


def test_a_copy_asked_for_by_identity_is_not_forbidden(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        first = tf1.exp(fed)
    with tf1.device("/gpu:1"):
        second = tf1.negative(tf1.identity(first, name="moved"))
    with tf.copies("forbid"), tf.record() as log:
        session.run(second, {fed: _ARRAY})
    assert _ops(log) == [("Exp", "GPU:0"), ("Identity", "GPU:1"), ("Neg", "GPU:1")]
    assert [copy.op for copy in log.copies()] == ["moved"]


def test_a_copy_in_a_branch_is_forbidden_when_the_branch_runs(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        first = tf1.exp(fed)
    chosen = tf1.placeholder(tf1.bool, [])

    def elsewhere():
        with tf1.device("/gpu:1"):
            return tf1.negative(first) + 1.0

    def here():
        with tf1.device("/gpu:0"):
            return tf1.negative(first)

    with tf1.device("/gpu:0"):
        result = tf1.reduce_sum(tf1.cond(chosen, elsewhere, here))
    with tf.copies("forbid"):
        session.run(result, {fed: _ARRAY, chosen: False})
        with pytest.raises(tf.errors.InvalidArgumentError, match="conflicting devices"):
            session.run(result, {fed: _ARRAY, chosen: True})
    session.run(result, {fed: _ARRAY, chosen: True})


def test_a_copy_is_warned_of_once(session):
    fed = _fed()
    with tf1.device("/gpu:0"):
        first = tf1.exp(fed)
    with tf1.device("/gpu:1"):
        second = tf1.negative(first, name="warned_of")
    with tf.copies("warn"), pytest.warns(tf.PlacementWarning, match="for warned_of") as told:
        session.run(second, {fed: _ARRAY})
        session.run(second, {fed: _ARRAY})
    assert len(told) == 1


def test_strict_refuses_what_a_session_runs_elsewhere_than_asked():
    config = tf1.ConfigProto(allow_soft_placement=True)
    with tf.simulate("V100"), tf1.Graph().as_default(), tf1.Session(config=config) as session:
        text = tf1.placeholder(tf1.string, [1])
        with tf1.device("/gpu:0"):
            joined = tf1.string_join([text, text])
        with tf.strict(), pytest.raises(tf.errors.InvalidArgumentError, match="StringJoin"):
            session.run(joined, {text: ["a"]})
        assert session.run(joined, {text: ["a"]}).tolist() == [b"aa"]
