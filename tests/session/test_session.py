"""Sessions as a user runs them."""

import threading

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_fetches_keep_their_structure():
    from collections import namedtuple

    a, b = tf.constant(1.0, name="a"), tf.constant([2.0, 3.0])
    pair = namedtuple("pair", "first second")
    with tf.Session() as session:
        found = session.run({"x": [a, (b, "a:0")], "y": pair(a, a.op)})
    assert found["x"][0] == 1.0
    assert found["x"][1][0].tolist() == [2.0, 3.0]
    assert found["x"][1][1] == 1.0
    assert (found["y"].first, found["y"].second) == (1.0, None)


def test_any_tensor_can_be_fed():
    a = tf.constant([1.0, 2.0])
    doubled = a * 2.0
    result = doubled + 1.0
    with tf.Session() as session:
        assert session.run(result).tolist() == [3.0, 5.0]
        assert session.run(result, {a: [5.0, 6.0]}).tolist() == [11.0, 13.0]
        assert session.run(result, {doubled: [0.0, 0.0]}).tolist() == [1.0, 1.0]
        assert session.run(a, {a: [5.0, 6.0]}).tolist() == [5.0, 6.0]


def test_bad_feeds_and_fetches_are_told():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = x * 2.0
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"You must feed a value for placeholder tensor 'x' with dtype float and shape "
            r"\[\?,3\]",
        ) as raised:
            session.run(y)
        assert raised.value.op is x.op
        assert "test_session.py:" in str(raised.value)
        with pytest.raises(
            ValueError, match=r"Cannot feed value of shape \(1, 2\) for Tensor 'x:0'"
        ):
            session.run(y, {x: [[1.0, 2.0]]})
        with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
            session.run(y, {"nothing:0": 1.0})
        with pytest.raises(TypeError, match=r"value of a feed cannot be a tf\.Tensor"):
            session.run(y, {x: y})
        with pytest.raises(TypeError, match="Fetch argument None has invalid type"):
            session.run(None)
        with pytest.raises(ValueError, match="Fetch argument 'foo' cannot be interpreted"):
            session.run("foo")
        assert session.run(y, {x: [[1, 2, 3]]}).tolist() == [[2.0, 4.0, 6.0]]


def test_variables_belong_to_their_session():
    v = tf.Variable(1.0)
    add = v.assign_add(1.0)
    first, second = tf.Session(), tf.Session()
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value Variable"):
        first.run(v)
    first.run(v.initializer)
    second.run(v.initializer)
    assert first.run(add) == 2.0
    assert first.run(add) == 3.0
    assert second.run(v) == 1.0


def test_control_dependencies_order_what_changes_state():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.read_value() * 2.0
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 10.0


def test_only_what_is_needed_runs():
    ran = []
    bad = tf.placeholder(tf.float32, [])
    good = tf.constant(2.0)
    _ = bad * good
    with tf.Session() as session:
        assert session.run(good * 3.0) == 6.0
    assert not ran


def test_the_generated_python_can_be_read():
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.identity(x + x) * (tf.constant(2.0) * 3.0)
    again = (x + x) * 6.0
    session = tf.Session()
    source = session.source([y, again], [x])
    assert source.count("AddV2(") == 1  # the same sum is computed once
    assert "Identity" not in source
    assert "def run(f0):" in source


def test_an_error_names_the_node_and_its_line_and_leaves_the_session_usable():
    x = tf.placeholder(tf.int32, [])
    divided = tf.math.floordiv(7, x, name="divided")
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(divided, {x: 0})
        assert "ivision by zero" in str(raised.value)
        assert "[[node divided (defined at" in str(raised.value)
        assert session.run(divided, {x: 2}) == 3


def test_a_closed_session_says_so():
    session = tf.Session()
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.run(tf.constant(1))


def test_default_sessions():
    a = tf.constant(3.0)
    with pytest.raises(ValueError, match="No default session is registered"):
        a.eval()
    with tf.Session():
        assert a.eval() == 3.0
        assert tf.get_default_session() is not None
    session = tf.InteractiveSession()
    assert a.eval() == 3.0
    session.close()
    assert tf.get_default_session() is None


def test_make_callable():
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    call = tf.Session().make_callable(x - y, [x, y])
    assert call(5.0, 3.0) == 2.0


def test_random_numbers_go_on_within_a_session_and_repeat_in_another():
    tf.get_default_graph().seed = 1
    x = tf.random.uniform([3], seed=5)
    first, second = tf.Session(), tf.Session()
    values = [first.run(x).tolist() for _ in range(3)]
    assert len({tuple(each) for each in values}) == 3
    assert [second.run(x).tolist() for _ in range(3)] == values
    # What TensorFlow 1.15 draws for these seeds.
    np.testing.assert_allclose(values[0][:2], [0.195606, 0.02986085], rtol=1e-5)


def test_runs_from_many_threads_are_safe():
    v = tf.Variable(0.0)
    add = v.assign_add(1.0)
    x = tf.placeholder(tf.float32, [])
    doubled = x * 2.0
    session = tf.Session()
    session.run(v.initializer)
    wrong = []

    def work(index: int) -> None:
        for _ in range(50):
            session.run(add)
            if session.run(doubled, {x: index}) != 2.0 * index:
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert session.run(v) == 400.0


def test_the_graph_may_grow_between_runs():
    a = tf.constant(1.0)
    session = tf.Session()
    assert session.run(a) == 1.0
    b = a + 1.0
    assert session.run(b) == 2.0


def test_configuration_must_be_the_message():
    with pytest.raises(TypeError, match=r"must be a tf\.ConfigProto"):
        tf.Session(config={"log_device_placement": True})


def test_device_count_makes_several_cpus():
    session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 3}))
    names = [device.name for device in session.list_devices()]
    assert names == [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(3)]


def test_a_gradient_step_trains():
    x = tf.placeholder(tf.float32, [None, 2])
    w, b = tf.Variable([[1.0], [2.0]]), tf.Variable([0.5])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 3.0))
    steps = [v.assign_sub(g * 0.1) for v, g in zip([w, b], tf.gradients(loss, [w, b]), strict=True)]
    data = np.array([[1.0, 2.0], [0.0, 1.0]], np.float32)
    with tf.Session() as session:
        session.run([w.initializer, b.initializer])
        losses = [session.run([loss, steps], {x: data})[0] for _ in range(100)]
    assert losses[-1] < 0.01 < losses[0]


def test_a_run_in_parts():
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    c = a + 1.0
    d = c * b
    session = tf.Session()
    handle = session.partial_run_setup([c, d], [a, b])
    assert session.partial_run(handle, c, {a: 1.0}) == 2.0
    assert session.partial_run(handle, d, {b: 3.0}) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'"):
        session.partial_run(handle, d, {b: 3.0})


def test_a_traced_run_tells_where_when_and_what():
    import json

    from placewise.session.timeline import Timeline

    with tf.simulate("2xK40c"):
        x = tf.placeholder(tf.float32, [2], name="x")
        with tf.device("/gpu:1"):
            y = tf.exp(x, name="y")
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        value = tf.Session().run(y, {x: [0.0, 0.0]}, options, metadata)
    assert value.tolist() == [1.0, 1.0]
    rows = {
        node.node_name: (device.device, node)
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    device, node = rows["y"]
    assert device == "/job:localhost/replica:0/task:0/device:GPU:1"
    assert node.timeline_label == "y = Exp(x)"
    assert node.output[0].tensor_description.allocation_description.requested_bytes == 8
    assert node.memory[0].allocator_name == "GPU_1_bfc"
    assert any("[MEMCPY]" in each.timeline_label for _, each in rows.values())
    assert [n.name for graph in metadata.partition_graphs for n in graph.node] == ["y"]
    trace = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format())
    names = [event["args"]["name"] for event in trace["traceEvents"] if event["ph"] == "M"]
    assert f"{device} Compute" in names


def test_a_session_that_was_reset_is_cancelled_until_it_is_closed():
    x = tf.constant(1.0)
    session = tf.Session()
    call = session.make_callable(x)
    tf.Session.reset("")
    for run in (call, lambda: session.run(x)):
        with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
            run()
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(x)


def test_partition_graphs_need_no_trace():
    options = tf.RunOptions(output_partition_graphs=True)
    x = tf.placeholder(tf.float32, [2], name="x")
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.exp(x, name="y"), {x: [0.0, 0.0]}, options, metadata)
        assert [node.name for node in metadata.partition_graphs[0].node] == ["y"]
        session.run(tf.constant(1.0), None, options, metadata)
        assert len(metadata.partition_graphs) == 1
    assert not metadata.step_stats.dev_stats


def test_a_traced_run_tells_which_allocator_each_node_took_from():
    with tf.simulate("K40c"), tf.device("/gpu:0"):
        x = tf.random_normal([256, 4], name="x")
        y = tf.exp(x, name="y")
        whole = tf.cast(y, tf.int32, name="whole")
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        with tf.Session() as session:
            session.run([x, y, whole], options=options, run_metadata=metadata)
    nodes = {node.node_name: node for node in metadata.step_stats.dev_stats[0].node_stats}
    (line,) = nodes["y"].memory
    assert (line.allocator_name, line.total_bytes) == ("GPU_0_bfc", 4096)
    assert line.allocator_bytes_in_use >= 2 * 4096  # x is there as well
    (line,) = nodes["whole"].memory  # integers of 32 bits stay on the host
    assert (line.allocator_name, line.total_bytes, line.allocator_bytes_in_use) == ("cpu", 4096, 0)
    told = nodes["whole"].output[0].tensor_description.allocation_description
    assert told.allocator_name == "cpu"


def test_what_is_fetched_is_the_callers_own():
    v = tf.Variable([1.0, 2.0])
    c = tf.constant([3.0, 4.0])
    with tf.Session() as session:
        session.run(v.initializer)
        for tensor in (v, c, tf.reshape(v, [2, 1])):
            before = session.run(tensor).tolist()
            session.run(tensor)[:] = 7.0
            assert session.run(tensor).tolist() == before


def test_a_run_that_waits_too_long_ends():
    queue = tf.FIFOQueue(1, tf.float32)
    element = queue.dequeue()
    with tf.Session() as session:
        options = tf.RunOptions(timeout_in_ms=50)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=options)
        assert session.run(tf.constant(1.0)) == 1.0
