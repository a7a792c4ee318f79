"""A dry run sees the training steps of a program, their ops and copies, and what memory it has."""

import queue
import threading
import time

import numpy as np
import pytest

import placewise
import placewise as tf
from placewise.core.scope import watch
from placewise.cost.trace import CopyEvent, OpEvent
from placewise.forecast.dry_run import dry_run
from tests.forecast.models import (
    MODELS,
    cross_entropy,
    dense_layers,
    floats,
    in_session,
    labels,
    v1,
)

GIB = 1 << 30


def ops_of(forecast, kind=None):
    events = [event for event in forecast.trace.events if isinstance(event, OpEvent)]
    return [event for event in events if kind in (None, event.op)]


def copies_of(forecast):
    return [event for event in forecast.trace.events if isinstance(event, CopyEvent)]


def line_fit(steps=10, seen=None, wrap=lambda step: step):
    w = tf.Variable(tf.zeros([8, 4]))

    @wrap
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - 1.0))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    for number in range(steps):
        if seen is not None:
            seen.append(number)
        step(tf.ones([16, 8]))


# Steps.


@pytest.mark.parametrize("wrap", [lambda step: step, tf.function])
def test_a_program_is_stopped_after_a_step_that_warms_up_and_another(wrap):
    seen = []
    forecast = dry_run(lambda: line_fit(seen=seen, wrap=wrap), "V100")
    assert (forecast.steps, forecast.ended) == (2, "steps")
    assert len(seen) <= 3  # an eager step is over when the next one begins


def test_more_steps_can_be_asked_for():
    seen = []
    assert dry_run(lambda: line_fit(seen=seen, wrap=tf.function), "V100", steps=4).steps == 5
    assert len(seen) == 5


def test_a_program_with_one_step_shows_that_one():
    forecast = dry_run(lambda: line_fit(1), "V100")
    assert (forecast.steps, forecast.ended) == (1, "program")
    assert ops_of(forecast, "MatMul")


def test_a_program_that_trains_nothing_says_so_and_shows_what_ran():
    forecast = dry_run(lambda: tf.ones([4, 4]) @ tf.ones([4, 4]), "V100")
    assert not forecast.has_trained
    assert forecast.notes[0] == "no training step was seen"
    assert ops_of(forecast, "MatMul")


def test_initializing_and_assigning_variables_is_no_step():
    def program():
        with tf.Graph().as_default(), v1.Session() as session:
            w = v1.get_variable("w", [4])
            average = v1.get_variable("average", [4], trainable=False)
            session.run(v1.global_variables_initializer())
            session.run(average.assign(0.9 * average + 0.1 * w))
            session.run(w.assign(tf.zeros([4])))

    assert not dry_run(program, "V100").has_trained


def test_steps_that_take_turns_are_one_step():
    def program():
        first, second = tf.Variable(tf.ones([4, 4])), tf.Variable(tf.ones([4, 4]))

        def training(variable, op):
            @tf.function
            def train():
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(op(first @ second))
                variable.assign_sub(tape.gradient(loss, variable))

            return train

        parts = [training(first, tf.sin), training(second, tf.cos)]
        for _ in range(10):
            for part in parts:
                part()

    forecast = dry_run(program, "V100")
    assert ops_of(forecast, "Sin")
    assert ops_of(forecast, "Cos")


def test_each_iteration_of_a_loop_in_a_function_is_a_step():
    seen = []

    def program():
        w = tf.Variable(tf.ones([4, 4]))

        @tf.function
        def train():
            for _ in tf.range(1000000):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(w @ w))
                w.assign_sub(0.1 * tape.gradient(loss, w))

        train()
        seen.append("end")

    forecast = dry_run(program, "V100")
    assert (forecast.steps, forecast.ended, seen) == (2, "steps", [])
    assert len(ops_of(forecast, "MatMul")) == 3


def test_sessions_that_fill_queues_in_other_threads_are_no_part_of_a_step():
    def program():
        with tf.Graph().as_default(), v1.Session() as session:
            count = v1.get_variable("count", [], initializer=v1.zeros_initializer())
            queue = v1.FIFOQueue(4, [tf.float32], [[8]])
            filling = queue.enqueue([tf.ones([8]) * count.assign_add(1.0)])
            v1.train.add_queue_runner(v1.train.QueueRunner(queue, [filling]))
            w = v1.get_variable("w", [8])
            loss = tf.reduce_sum(queue.dequeue() * w)
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[w])
            session.run(v1.global_variables_initializer())
            coordinator = v1.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coordinator)
            try:
                for _ in range(10):
                    session.run(train)
            finally:
                coordinator.request_stop()
                coordinator.join(threads)

    forecast = dry_run(program, "V100")
    assert forecast.steps == 2
    assert not any("Enqueue" in event.op for event in ops_of(forecast))


def test_what_the_program_raises_is_raised():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        dry_run(lambda: tf.ones([2, 3]) @ tf.ones([2, 3]), "V100")


def test_blocks_at_the_end_of_a_program_run():
    ended = []

    def program():
        try:
            line_fit()
        except Exception:
            ended.append("caught")
        finally:
            ended.append("finally")

    dry_run(program, "V100")
    assert ended == ["finally"]


def test_a_dry_run_ends_after_its_time():
    assert dry_run(lambda: line_fit(1000), "V100", max_seconds=0.0, steps=10**6).ended == "seconds"


def test_a_step_that_the_end_of_the_time_interrupts_is_none():
    def program():
        weights = [placewise.Variable(placewise.ones([4])) for _ in range(2)]
        with placewise.GradientTape() as tape:
            loss = placewise.reduce_sum(weights[0] * weights[1])
        gradients = tape.gradient(loss, weights)
        weights[0].assign_sub(gradients[0])
        time.sleep(1.2)
        weights[1].assign_sub(gradients[1])

    assert dry_run(program, "V100", max_seconds=1.0).steps == 0


def test_devices_and_hooks_are_as_before_afterwards():
    start = threading.Thread.start
    with placewise.simulate("K40c"):
        dry_run(line_fit, "2xV100")
        assert len(tf.config.list_physical_devices("GPU")) == 1
        np.testing.assert_array_equal(tf.constant([1.0]).numpy() + 1, [2.0])
    assert threading.Thread.start is start
    assert watch.unit is None
    assert watch.copied is None


# The trace.


def test_events_say_what_they_read():
    forecast = dry_run(lambda: line_fit(wrap=tf.function), "V100")
    events = forecast.trace.events
    assert [event.number for event in events] == list(range(len(events)))
    assert all(number < event.number for event in events for number in event.inputs)
    (product,) = (event for event in ops_of(forecast, "MatMul") if event.work.product[1] == 16)
    assert product.work.flops == 2 * 16 * 8 * 4
    assert product.device == "GPU:0"
    assert "test_dry_run.py:" in product.line
    assert {events[number].op for number in product.inputs} == {"Fill", "ReadVariableOp"}
    update = ops_of(forecast, "AssignSubVariableOp")[-1]
    assert update.inputs


def test_ops_that_a_kernel_does_together_add_their_work():
    def build(x, y):
        return v1.train.GradientDescentOptimizer(0.1).minimize(
            cross_entropy(dense_layers(x, [32, 10]), y)
        )

    forecast = dry_run(lambda: in_session(build, [floats(16, 20), labels(16)]), "V100")
    products = sum(event.work.flops for event in ops_of(forecast) if event.work.kind == "matmul")
    # Forward and weights for both layers, and the gradient of the second layer's input.
    expected = 2 * 16 * (20 * 32 * 2 + 32 * 10 * 3)
    assert expected <= products < 1.1 * expected


def test_feeds_are_copies_and_tell_the_batch():
    forecast = dry_run(MODELS["graph_dense_sgd"], "V100")
    feeds = [copy for copy in copies_of(forecast) if copy.kind == "feed"]
    assert (64 * 200 * 4) in [copy.nbytes for copy in feeds]
    assert {(copy.source, copy.target) for copy in feeds} == {("CPU:0", "GPU:0")}
    assert forecast.batch == forecast.trace.batch == 64
    readers = [event for event in ops_of(forecast) if feeds[0].number in event.inputs]
    assert readers


def test_copies_between_gpus_stand_between_the_ops():
    forecast = dry_run(MODELS["graph_model_parallel"], "2xV100")
    events = forecast.trace.events
    forward = [
        copy for copy in copies_of(forecast) if (copy.source, copy.target) == ("GPU:0", "GPU:1")
    ]
    assert 64 * 256 * 4 in [copy.nbytes for copy in forward]
    for copy in forward:
        assert all(events[number].device == "GPU:0" for number in copy.inputs)
    assert any(copy.number in event.inputs for copy in forward for event in ops_of(forecast))


def test_the_batch_of_replicas_is_that_of_all_of_them():
    assert dry_run(MODELS["mirrored_keras"], "2xV100").batch == 64


def test_variables_and_gradients_of_the_host_are_no_samples():
    def program():
        with placewise.device("/cpu:0"):
            weights = placewise.Variable(placewise.ones([300, 20]))
        for _ in range(3):
            with placewise.device("/gpu:0"), placewise.GradientTape() as tape:
                loss = placewise.reduce_sum(placewise.random.normal([64, 300]) @ weights)
            gradient = tape.gradient(loss, weights)
            with placewise.device("/cpu:0"):
                mean = gradient / 2.0
            with placewise.device("/gpu:0"):
                change = mean * 0.1
            weights.assign_sub(change)

    assert dry_run(program, "V100").batch == 64


def test_ops_without_a_kernel_on_gpus_are_fallbacks():
    def program():
        w = tf.Variable(tf.ones([4, 4]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            w.assign_sub(tape.gradient(loss, w))
            tf.raw_ops.UnravelIndex(indices=tf.constant([1]), dims=tf.constant([2, 2]))
            tf.image.decode_png(tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8)))
            tf.nn.fractional_max_pool(tf.zeros([1, 8, 8, 1]), 2.0)

    (fallback,) = dry_run(program, "V100").fallbacks
    assert (fallback.op, fallback.device, fallback.count) == ("FractionalMaxPool", "CPU:0", 1)
    assert "test_dry_run.py:" in fallback.line


# Memory.


def test_variables_slots_and_activations_are_told_apart():
    (memory,) = dry_run(MODELS["graph_dense_adam"], "V100").memory
    parameters = 4 * (300 * 256 + 256 * 256 + 256 * 10 + 256 + 256 + 10)
    assert memory.variables_bytes == pytest.approx(parameters, rel=0.01)
    assert memory.slots_bytes == pytest.approx(2 * parameters, rel=0.01)
    assert memory.fits
    total = memory.variables_bytes + memory.slots_bytes + memory.activations_bytes
    assert total == memory.peak_bytes
    largest = memory.holders[0]
    assert largest.what == "variable layer0/w"
    assert largest.shape == (300, 256)
    assert "models.py:" in largest.origin


def test_slots_of_keras_optimizers_are_slots():
    (memory,) = dry_run(MODELS["keras_dense"], "V100").memory
    parameters = 4 * (200 * 256 + 256 + 256 * 10 + 10)
    assert memory.variables_bytes == pytest.approx(parameters, rel=0.02)
    assert memory.slots_bytes == pytest.approx(2 * parameters, rel=0.02)


def test_what_does_not_fit_is_told_with_op_and_line_and_the_program_goes_on():
    def program():
        w = tf.Variable(tf.random.normal([20000, 20000]))
        x = tf.ones([16, 20000])
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(x @ w)
            w.assign_sub(tape.gradient(loss, w))

    forecast = dry_run(program, "V100:3GiB")
    (memory,) = forecast.memory
    assert forecast.steps == 2
    assert memory.peak_bytes > memory.limit_bytes
    assert not memory.fits
    crossing = memory.first_crossing
    assert crossing.op == "MatMul"
    assert "test_dry_run.py:" in crossing.line
    assert crossing.over_bytes > 0
    assert crossing.holders[0].what == "variable Variable"


def test_models_much_larger_than_this_machine_are_planned():
    def program():
        variables = [tf.Variable(tf.random.truncated_normal([1 << 15, 1 << 16])) for _ in range(10)]
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(variable) for variable in variables)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(gradient)

    (memory,) = dry_run(program, "H100").memory
    assert memory.variables_bytes >= 80 * GIB


def test_unused_gpus_hold_nothing():
    memory = dry_run(line_fit, "2xV100").memory
    assert [(one.device, one.peak_bytes > 0) for one in memory] == [
        ("GPU:0", True),
        ("GPU:1", False),
    ]
    assert memory[1].limit_bytes == memory[0].limit_bytes


def test_a_machine_without_gpus_has_no_forecast_of_memory():
    forecast = dry_run(line_fit, "0")
    assert forecast.memory == ()
    assert forecast.steps == 2
    assert {event.device for event in ops_of(forecast)} == {"CPU:0"}


def test_a_program_that_waits_for_an_empty_queue_is_ended() -> None:
    began = time.monotonic()
    seen = dry_run(lambda: queue.Queue().get(timeout=60), "V100", max_seconds=0.1)
    assert seen.ended == "seconds" and not seen.has_trained
    assert time.monotonic() - began < 30


def train_once(*before: object) -> None:
    weights = tf.Variable(tf.ones([4]))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weights * 2.0)
        weights.assign_sub(tape.gradient(loss, weights))


def test_a_program_that_uses_one_gpu_and_does_not_ask_would_do_the_same_with_fewer() -> None:
    assert dry_run(train_once, "2xV100").serves_fewer_gpus

    def asks() -> None:
        train_once(tf.config.list_physical_devices("GPU"))

    def uses_the_second() -> None:
        with tf.device("/gpu:1"):
            train_once()

    assert not dry_run(asks, "2xV100").serves_fewer_gpus
    assert not dry_run(uses_the_second, "2xV100").serves_fewer_gpus
