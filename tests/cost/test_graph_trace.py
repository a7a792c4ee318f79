"""Traces of graphs that do not run."""

import placewise.v1 as tf
from placewise.cost.fusion import fuse
from placewise.cost.graph_trace import trace_of_graph
from placewise.cost.machine import MachineSpec
from placewise.cost.replicas import replicate
from placewise.cost.timeline import schedule
from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.ops.work import Work

TWO = MachineSpec.parse("2xV100")


def ops(trace, kind=None):
    found = [event for event in trace.events if isinstance(event, OpEvent)]
    return [event for event in found if kind in (None, event.work.kind)]


def copies(trace):
    return [event for event in trace.events if isinstance(event, CopyEvent)]


def layer(x, units=32):
    return tf.nn.relu(tf.layers.dense(x, units, use_bias=False))


def training_step(batch=8):
    x = tf.placeholder(tf.float32, [None, 16])
    loss = tf.reduce_mean(layer(layer(x)))
    return x, tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)


def test_only_what_a_fetch_needs_is_traced():
    with tf.Graph().as_default():
        x = tf.ones([4, 4]) * 2.0
        tf.matmul(x, x)
        trace = trace_of_graph([x], TWO)
    assert not ops(trace, "matmul")


def test_an_unknown_batch_is_taken_for_the_given_one():
    with tf.Graph().as_default():
        x, step = training_step()
        trace = trace_of_graph([step], TWO, batch=8, fed=[x])
    # Two products forward, two gradients of weights and one of an input.
    assert [event.work.flops for event in ops(trace, "matmul")] == [
        *[2 * 8 * 16 * 32, 2 * 8 * 32 * 32],
        *[2 * 8 * 32 * 32, 2 * 8 * 32 * 32],
        2 * 8 * 16 * 32,
    ]
    assert trace.batch == 8


def test_a_fed_tensor_is_copied_to_its_reader_once():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [8, 16])
        trace = trace_of_graph([tf.exp(x) + tf.sin(x)], TWO, fed=[x])
    [feed] = copies(trace)
    assert (feed.kind, feed.source, feed.target, feed.nbytes) == ("feed", "CPU:0", "GPU:0", 512)


def test_a_tensor_that_is_read_elsewhere_is_copied_once():
    with tf.Graph().as_default():
        x = tf.exp(tf.random_uniform([8, 16]))
        with tf.device("/gpu:1"):
            y = tf.exp(x) + tf.sin(x)
        trace = trace_of_graph([y], TWO)
    [copy] = copies(trace)
    assert (copy.kind, copy.source, copy.target, copy.nbytes) == ("copy", "GPU:0", "GPU:1", 512)
    assert copy.reader == "Exp_1"


def test_variables_on_the_host_are_copied_in_and_gradients_out():
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            w = tf.get_variable("w", [16, 4])
        with tf.device("/gpu:0"):
            loss = tf.reduce_sum(tf.exp(tf.matmul(tf.ones([8, 16]), w)))
            [gradient] = tf.gradients(loss, [w])
        step = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(gradient, w)])
        trace = trace_of_graph([step], TWO)
    pairs = [(copy.source, copy.target, copy.nbytes) for copy in copies(trace)]
    assert pairs == [("CPU:0", "GPU:0", 256), ("GPU:0", "CPU:0", 256)]


def test_what_a_gpu_cannot_run_falls_back():
    with tf.Graph().as_default(), tf.device("/gpu:0"):
        trace = trace_of_graph([tf.as_string(tf.exp(tf.random_uniform([4])))], TWO)
    [event] = [event for event in ops(trace) if event.fell_back]
    assert (event.op, event.device) == ("AsString", "CPU:0")
    assert "soft placement" in event.reason


def test_a_given_placement_is_kept():
    with tf.Graph().as_default() as graph:
        x = tf.exp(tf.random_uniform([4]))
        placed = dict.fromkeys(graph.get_operations(), "GPU:1")
        trace = trace_of_graph([x], TWO, placed=placed)
    assert {event.device for event in ops(trace)} == {"GPU:1"}


def test_bodies_of_loops_count_as_often_as_they_run():
    with tf.Graph().as_default():
        w = tf.get_variable("w", [16, 16])
        _, y = tf.while_loop(
            lambda i, a: i < 5, lambda i, a: (i + 1, tf.matmul(a, w)), [0, tf.ones([8, 16])]
        )
        counts = [
            len(ops(trace_of_graph([y], TWO, loop_trips=trips), "matmul")) for trips in (1, 5)
        ]
    assert counts == [1, 5]


def test_numbers_are_positions():
    with tf.Graph().as_default():
        x, step = training_step()
        trace = trace_of_graph([step], TWO, batch=8, fed=[x])
    assert [event.number for event in trace.events] == list(range(len(trace.events)))
    assert all(source < event.number for event in trace.events for source in event.inputs)


def test_fusing_leaves_products_and_saves_traffic():
    with tf.Graph().as_default():
        x = tf.random_uniform([1024, 1024])
        trace = trace_of_graph([tf.exp(tf.sin(tf.matmul(x, x)) * 2.0) + 1.0], TWO)
    fused = fuse(trace)
    assert len(ops(fused, "matmul")) == 1
    assert len(ops(fused, "elementwise")) == 2  # one makes the random numbers, one the rest
    moved = [sum(event.work.moved_bytes for event in ops(t)) for t in (trace, fused)]
    assert moved[1] < moved[0] / 1.5
    assert schedule(fused, TWO).duration < schedule(trace, TWO).duration


def test_replicas_sum_their_gradients():
    with tf.Graph().as_default():
        x, step = training_step()
        trace = trace_of_graph([step], TWO, batch=8, fed=[x])
    double = replicate(trace, 2, bucket_bytes=0)
    sums = [copy for copy in copies(double) if copy.kind == "all_reduce"]
    assert sorted(copy.nbytes for copy in sums) == [16 * 32 * 4, 32 * 32 * 4]
    assert all(copy.members == ("GPU:0", "GPU:1") for copy in sums)
    assert double.batch == 16
    assert len(ops(double)) == 2 * len(ops(trace))
    updates = [event for event in ops(double) if "ApplyMomentum" in event.op]
    assert len(updates) == 4
    assert all({copy.number for copy in sums} & set(event.inputs) for event in updates)


def test_replicas_pack_gradients_into_buckets():
    with tf.Graph().as_default():
        x, step = training_step()
        trace = trace_of_graph([step], TWO, batch=8, fed=[x])
    [packed] = [copy for copy in copies(replicate(trace, 2)) if copy.kind == "all_reduce"]
    assert packed.nbytes == 4 * (16 * 32 + 32 * 32)


def test_replicas_of_plain_updates_are_told_the_bytes():
    with tf.Graph().as_default():
        x = tf.random_uniform([8, 16])
        trace = trace_of_graph([tf.exp(tf.matmul(x, x, transpose_b=True))], TWO)
    [packed] = [copy for copy in copies(replicate(trace, 2, 1000)) if copy.kind == "all_reduce"]
    assert packed.nbytes == 1000


def test_updates_that_depend_on_each_other_wait_for_one_sum():
    def event(number, op, inputs=(), kind="elementwise"):
        work = Work(kind, 1e6, 8 << 20, 4 << 20)
        return OpEvent(number, op, f"n{number}", "GPU:0", work, inputs)

    events = [
        event(0, "MatMul", (), "matmul"),
        event(1, "MatMul", (0,), "matmul"),
        event(2, "MatMul", (1,), "matmul"),
        event(3, "ApplyAdam", (1,)),
        event(4, "ApplyAdam", (2, 3)),  # it shares a slot with the one before
    ]
    several = replicate(Trace(events, 32), 4, gradient_bytes=100 << 20, written=1)
    (total,) = [e for e in several.events if isinstance(e, CopyEvent)]
    assert (total.nbytes, total.inputs, len(total.members)) == (100 << 20, (1, 2), 4)
    machine = MachineSpec.parse("4xK80")
    timeline = schedule(several, machine)
    assert len(timeline.spans) == len(several.events)
    assert timeline.duration > schedule(Trace(events, 32), machine).duration
