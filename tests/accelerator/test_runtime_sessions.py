"""Programs of TensorFlow 1 on a device with memory of its own: they compute what the CPU does.

Each builds a graph of its own on the device it is given, and runs it in a session.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf2
import placewise.v1 as tf

pytestmark = [
    pytest.mark.usefixtures("accelerator", "graph_mode"),
    # Queues, readers and files are the CPU's.
    pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning"),
]
PROGRAMS: list[Callable[[Path], Any]] = []
SOFT = tf.ConfigProto(allow_soft_placement=True)


def program(function: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """Have a function run on the CPU and on the device; it is given a folder for its files."""
    PROGRAMS.append(function)
    return function


def weights(*shape: int) -> Any:
    """Return numbers that look random and are the same each time."""
    return np.sin(np.arange(np.prod(shape), dtype=np.float32) * 1.7).reshape(shape)


@program
def a_saver(folder: Path) -> Any:
    w = tf.get_variable("w", initializer=tf.constant(weights(3, 2)))
    old = tf.Variable(tf.ones([2], tf.float16), use_resource=False)
    step = tf.train.get_or_create_global_step()
    saver = tf.train.Saver(max_to_keep=1)
    with tf.Session(config=SOFT) as session:
        session.run(tf.global_variables_initializer())
        session.run([w.assign_add(tf.ones([3, 2])), old.assign_add([1, 2]), step.assign_add(3)])
        path = saver.save(session, str(folder / "model"), global_step=step)
        session.run([w.assign(tf.zeros([3, 2])), old.assign([0, 0])])
        saver.restore(session, path)
        return session.run([w, old, step])


@program
def a_saved_model(folder: Path) -> Any:
    x = tf.placeholder(tf.float32, [None, 3], "x")
    w = tf.Variable(weights(3, 2), name="w")
    y = tf.tanh(x @ w, name="y")
    with tf.Session(config=SOFT) as session:
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(folder / "model"), {"x": x}, {"y": y})
    with tf.Graph().as_default(), tf.Session(config=SOFT) as session:
        tf.saved_model.load(session, ["serve"], str(folder / "model"))
        return session.run("y:0", {"x:0": weights(4, 3)})


@program
def summaries_of_a_session(folder: Path) -> Any:
    x = tf.placeholder(tf.float32, [4])
    tf.summary.scalar("mean", tf.reduce_mean(x))
    tf.summary.histogram("x", x)
    tf.summary.image("picture", tf.reshape(x, [1, 2, 2, 1]))
    merged = tf.summary.merge_all()
    writer = tf.summary.FileWriter(str(folder), tf.get_default_graph())
    with tf.Session(config=SOFT) as session, writer:
        writer.add_summary(session.run(merged, {x: weights(4)}), 3)
    (file,) = folder.iterdir()
    values = [v for event in tf.train.summary_iterator(str(file)) for v in event.summary.value]
    return values[0].simple_value, list(values[1].histo.bucket), len(values)


@program
def queues_and_their_threads(folder: Path) -> Any:
    rows = tf.train.input_producer(tf.constant(weights(6, 2)), shuffle=False, num_epochs=1)
    row = rows.dequeue()
    batch = tf.train.batch([row * 2.0, tf.reduce_sum(row)], 3)
    with tf.Session(config=SOFT) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = [session.run(batch), session.run(batch)]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=30)
    return found


@program
def queues_of_all_kinds(folder: Path) -> Any:
    x = tf.constant(weights(4, 2))
    fifo = tf.FIFOQueue(10, [tf.float32, tf.int64], [[2], []])
    padding = tf.PaddingFIFOQueue(4, [tf.float32], [[None]])
    priority = tf.PriorityQueue(4, [tf.float32], [[]])
    held = [
        fifo.enqueue_many([x, tf.range(4, dtype=tf.int64)]),
        padding.enqueue([x[0, :1]]),
        padding.enqueue([x[1]]),
        priority.enqueue([tf.constant(2, tf.int64), x[0, 1]]),
        priority.enqueue([tf.constant(1, tf.int64), x[1, 1]]),
    ]
    with tf.Session(config=SOFT) as session:
        for enqueue in held:
            session.run(enqueue)
        found = session.run([fifo.dequeue_many(3), padding.dequeue_many(2), priority.dequeue()])
        found.append(session.run(fifo.dequeue()))
    return found


@program
def a_queue_is_fed_while_it_is_read(folder: Path) -> Any:
    queue = tf.FIFOQueue(2, [tf.float32], [[3]])
    fed = tf.placeholder(tf.float32, [3])
    put, taken = queue.enqueue([tf.tanh(fed)]), queue.dequeue() * 2.0
    with tf.Session(config=SOFT) as session:

        def feed() -> None:
            for step in range(5):
                session.run(put, {fed: weights(3) + step})

        thread = threading.Thread(target=feed)
        thread.start()
        found = [session.run(taken) for _ in range(5)]
        thread.join()
    return found


@program
def a_run_in_parts(folder: Path) -> Any:
    a = tf.placeholder(tf.float32, [3])
    b = tf.placeholder(tf.float32, [])
    first = tf.sin(a) * 2.0
    second = first * b
    with tf.Session(config=SOFT) as session:
        part = session.partial_run_setup([first, second], [a, b])
        one = session.partial_run(part, first, {a: weights(3)})
        return one, session.partial_run(part, second, {b: one[1]})


@program
def handles_of_tensors(folder: Path) -> Any:
    x = tf.constant(weights(3)) * 2.0
    with tf.Session(config=SOFT) as session:
        handle = session.run(tf.get_session_handle(x))
        name, held = tf.get_session_tensor(handle.handle, tf.float32)
        return session.run(held + 1.0, {name: handle.handle})


@program
def loops(folder: Path) -> Any:
    x = tf.constant(weights(3))
    w = tf.Variable(weights(3, 3))
    rows = tf.TensorArray(tf.float32, 4)
    total, _, rows = tf.while_loop(
        lambda total, i, rows: i < 4,
        lambda total, i, rows: (
            tf.tanh(tf.squeeze(total[None] @ w)) + tf.cast(i, tf.float32),
            i + 1,
            rows.write(i, total),
        ),
        [x, 0, rows],
    )
    branch = tf.cond(tf.reduce_sum(total) > 0.0, lambda: total * 2.0, lambda: total - 1.0)
    loss = tf.reduce_sum(branch**2) + tf.reduce_sum(rows.stack())
    with tf.Session(config=SOFT) as session:
        session.run(tf.global_variables_initializer())
        return session.run([loss, tf.gradients(loss, [w, x])])


@program
def recurrent_cells(folder: Path) -> Any:
    x = tf.constant(weights(2, 5, 3))
    cells = [
        tf.nn.rnn_cell.BasicLSTMCell(4, name="lstm"),
        tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4, name="gru"), 1.0),
    ]
    start = tf.constant_initializer(0.3)
    with tf.variable_scope("net", initializer=start):
        stack = tf.nn.rnn_cell.MultiRNNCell(cells)
        outputs, state = tf.nn.dynamic_rnn(
            stack, x, sequence_length=[3, 5], dtype=tf.float32, swap_memory=True
        )
        fixed, _ = tf.nn.static_rnn(
            tf.nn.rnn_cell.BasicRNNCell(2, name="plain"), tf.unstack(x, axis=1), dtype=tf.float32
        )
    loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(fixed[-1])
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session(config=SOFT) as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        return session.run([loss, outputs, state[0].c, fixed[-1]])


@program
def a_dataset_with_an_initializable_iterator(folder: Path) -> Any:
    fed = tf.placeholder(tf.float32, [None, 2])
    data = tf.data.Dataset.from_tensor_slices(fed).map(lambda row: row * 2.0).batch(2)
    iterator = tf.data.make_initializable_iterator(data)
    row = iterator.get_next()
    found = []
    with tf.Session(config=SOFT) as session:
        session.run(iterator.initializer, {fed: weights(5, 2)})
        try:
            while True:
                found.append(session.run(tf.reduce_sum(row)))
        except tf.errors.OutOfRangeError:
            return found


@program
def a_monitored_session(folder: Path) -> Any:
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=tf.constant(weights(3)))
    loss = tf.reduce_sum(w**2)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(4), tf.train.NanTensorHook(loss)]
    found = []
    for _ in range(2):
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder), hooks=hooks, save_checkpoint_steps=2, config=SOFT
        ) as session:
            while not session.should_stop():
                found.append(session.run([train, loss])[1])
        hooks = [tf.train.StopAtStepHook(6)]
    return found


@program
def python_functions(folder: Path) -> Any:
    x = tf.constant(weights(4))
    one = tf.py_func(lambda a: a * 2, [x], tf.float32)
    one.set_shape([4])
    two = tf.numpy_function(np.cumsum, [one * 3.0], tf.float32)
    with tf.Session(config=SOFT) as session:
        return session.run([one, two + 1.0])


@program
def embeddings_and_sparse_gradients(folder: Path) -> Any:
    table = tf.get_variable("table", initializer=tf.constant(weights(6, 3)))
    ids = tf.placeholder(tf.int64, [None])
    looked_up = tf.nn.embedding_lookup(table, ids)
    sampled = tf.nn.embedding_lookup_sparse(
        table, tf.SparseTensor([[0, 0], [1, 0]], tf.constant([2, 3], tf.int64), [2, 1]), None
    )
    loss = tf.reduce_sum(looked_up**2) + tf.reduce_sum(sampled)
    made = [
        tf.train.GradientDescentOptimizer(0.1),
        tf.train.AdagradOptimizer(0.1),
        tf.train.AdamOptimizer(0.1),
        tf.train.RMSPropOptimizer(0.1, momentum=0.9),
        tf.train.FtrlOptimizer(0.1),
    ]
    train = [optimizer.minimize(loss) for optimizer in made]
    with tf.Session(config=SOFT) as session:
        session.run(tf.global_variables_initializer())
        for one in train:
            session.run(one, {ids: [1, 4, 1]})
        return session.run([table, loss], {ids: [0, 1]})


@program
def partitioned_and_averaged_variables(folder: Path) -> Any:
    w = tf.get_variable(
        "w",
        [4, 2],
        initializer=tf.constant_initializer(0.5),
        partitioner=tf.fixed_size_partitioner(2),
    )
    v = tf.Variable(tf.constant([1.0, 2.0]))
    averages = tf.train.ExponentialMovingAverage(0.9)
    averaged = averages.apply([v])
    rate = tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.5)
    with tf.Session(config=SOFT) as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign_add([1.0, 1.0]))
        session.run(averaged)
        return session.run([tf.convert_to_tensor(w), averages.average(v), rate])


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda run: run.__name__)
def test_it_computes_what_the_cpu_does(run: Callable[[Path], Any], tmp_path: Path) -> None:
    results = []
    for name in ("CPU:0", "GPU:0"):
        folder = tmp_path / name[:3]
        folder.mkdir()
        with tf.Graph().as_default(), tf.device(name):
            results.append(run(folder))
    tf2.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, 1e-5, 1e-6), results[1], results[0]
    )


def test_towers_over_four_cards_learn_what_one_device_does(tmp_path: Path) -> None:
    def trained(devices: list[str]) -> Any:
        with tf.Graph().as_default():
            x, y = tf.placeholder(tf.float32, [8, 3]), tf.placeholder(tf.float32, [8, 1])
            optimizer, towers = tf.train.MomentumOptimizer(0.1, 0.9), []
            with tf.device("CPU:0"):
                w = tf.get_variable("w", initializer=tf.constant(weights(3, 1)))
            parts = zip(devices, tf.split(x, len(devices)), tf.split(y, len(devices)), strict=True)
            for device, features, labels in parts:
                with tf.device(device):
                    loss = tf.reduce_mean((features @ w - labels) ** 2)
                    towers.append(optimizer.compute_gradients(loss, [w])[0][0])
            with tf.device("CPU:0"):
                train = optimizer.apply_gradients([(tf.add_n(towers) / len(towers), w)])
            with tf.Session(config=SOFT) as session:
                session.run(tf.global_variables_initializer())
                for _ in range(3):
                    session.run(train, {x: weights(8, 3), y: weights(8, 1)})
                return session.run(w)

    four = trained([f"GPU:{index}" for index in range(4)])
    np.testing.assert_allclose(four, trained(["CPU:0"]), 1e-5)
