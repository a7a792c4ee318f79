"""Memory of cards that torch counts: what an error says, what is told, what is given back."""

from __future__ import annotations

import gc
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import placewise as tf
import placewise.compat.v1 as v1
import placewise.memory
from placewise.devices import inventory
from placewise.memory import ledgers

MIB = 1 << 20
OOM = tf.errors.ResourceExhaustedError


@pytest.fixture(autouse=True)
def nothing_else_is_held() -> None:
    """Let go of what tests have left in cycles."""
    gc.collect()


@pytest.fixture
def small(accelerator: ModuleType) -> ModuleType:
    """Let each card have 20 MiB."""
    accelerator.empty_cache()
    accelerator.set_total_memory(20 * MIB)
    inventory.reset()
    return accelerator


def refused(call: Any) -> OOM:
    with pytest.raises(OOM) as caught:
        call()
    return caught.value


def used(device: str = "GPU:0") -> int:
    return tf.config.experimental.get_memory_info(device)["current"]


def test_the_error_says_limit_use_and_holders(small: ModuleType) -> None:
    weights = tf.Variable(tf.zeros([4, 256, 1024]), name="weights")
    kept = [tf.ones([256, 1024]) * 2.0 for _ in range(3)]
    error = refused(lambda: tf.ones([16, 256, 1024]))
    first, asked, *rest = str(error).splitlines()
    assert first == (
        "OOM when allocating tensor with shape[16,256,1024] and type float on /job:localhost/"
        "replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Fill] name: "
    )
    assert asked.startswith(
        "  asked: 16.00MiB; limit: 20.00MiB (nearly all of the card, the default); in use: 7.00MiB"
    )
    holders = "\n".join(rest)
    assert "4.00MiB variable weights [4,256,1024] float, made at " in holders
    assert "test_memory.py:" in holders
    assert "3.00MiB Mul [256,1024] float (3 tensors)" in holders
    assert error.shortage.asked_bytes == 16 * MIB
    assert 7 * MIB <= error.shortage.in_use_bytes < 7 * MIB + 4096
    assert "(del) tensors that are no longer needed" in holders
    del weights, kept


def test_an_error_of_a_session_has_the_shape_that_no_rule_knew_before(small: ModuleType) -> None:
    with tf.Graph().as_default(), tf.device("GPU:0"):
        rows = v1.placeholder(tf.float32, [None, 256, 1024])
        joined, doubled = tf.concat([rows] * 6, 0), tf.tile(rows, [6, 1, 1])
        longest = v1.while_loop(
            lambda some: tf.shape(some)[0] < 64,
            lambda some: tf.concat([some, some], 0),
            [rows],
            shape_invariants=[tf.TensorShape([None, 256, 1024])],
        )
        with v1.Session() as session:
            feed = {rows: np.zeros([4, 256, 1024], np.float32)}
            for fetch, shape in ((joined, 24), (doubled, 24), (longest, 16)):
                error = refused(lambda fetch=fetch: session.run(fetch, feed))
                assert f"OOM when allocating tensor with shape[{shape},256,1024]" in str(error)


def test_a_tensor_is_told_by_the_name_that_holds_it(small: ModuleType) -> None:
    features = tf.ones([2, 512, 1024]) + 1.0
    error = refused(lambda: tf.ones([18, 256, 1024]))
    assert "4.00MiB AddV2 [2,512,1024] float, held by features at " in str(error)
    del features


def test_to_look_for_holders_holds_nothing(small: ModuleType) -> None:
    features = tf.ones([2, 512, 1024])
    refused(lambda: tf.ones([18, 256, 1024]))
    before = used()
    del features
    assert used() == before - 4 * MIB


def test_a_recording_tells_the_line_that_made_a_tensor(small: ModuleType) -> None:
    with placewise.memory.record():
        made = tf.ones([16]) + 1.0
    later = tf.ones([8]) + 1.0
    held = {each.shape: each for each in placewise.memory.snapshot()["GPU:0"].held}
    assert (held[16,].op, held[16,].file) == ("AddV2", __file__)
    assert (held[8,].op, held[8,].file) == ("AddV2", None)
    del made, later


def test_what_a_session_has_computed_is_told_by_its_operations(
    small: ModuleType, graph_mode: None
) -> None:
    with v1.device("/gpu:0"):
        fed = v1.placeholder(v1.float32, [None, 1024], name="fed")
        half = v1.matmul(fed, v1.eye(1024), name="half")
        whole = v1.concat([half] * 4, 0, name="whole")
        total = v1.reduce_sum(half) + v1.reduce_sum(whole)
    with v1.Session() as session:
        few, many = np.ones([8, 1024], np.float32), np.ones([1024, 1024], np.float32)
        error = refused(lambda: session.run(total, {fed: many}))
        assert "\n\t [[node whole (defined at " in str(error)
        assert "4.00MiB half [1024,1024] float, made at " in str(error)
        del error
        assert session.run(total, {fed: few}) == 5 * 8 * 1024


def test_a_program_goes_on_inside_its_except(small: ModuleType) -> None:
    def step(rows: int) -> Any:
        return tf.reduce_sum(tf.concat([tf.ones([rows, 1024]) * 2.0] * 2, 0))

    run = tf.function(step)
    for _ in range(2):
        try:
            run(2048)
        except OOM:
            gc.collect()
            assert used() < MIB
            assert run(1024).numpy() == 4 * 1024 * 1024
    refused(lambda: step(2048))
    gc.collect()  # of the frames that pytest has kept
    assert step(1024).numpy() == 4 * 1024 * 1024


def test_a_tape_goes_on_with_a_smaller_batch(small: ModuleType) -> None:
    w = tf.Variable(tf.ones([1024, 256]))

    def gradient(rows: int) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.matmul(tf.ones([rows, 1024]), w)))
        return tape.gradient(loss, w)

    refused(lambda: gradient(8192))
    assert gradient(64).shape == [1024, 256]


def test_keras_goes_on_with_a_smaller_batch_inside_the_except(small: ModuleType) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1024), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.ones([4096, 256], np.float32), np.ones([4096, 1], np.float32)
    try:
        model.fit(x, y, batch_size=4096, verbose=0)
    except OOM as error:
        assert "\n\t [[node " in str(error)
        assert "variable sequential" in str(error)
        model.fit(x, y, batch_size=32, verbose=0)
    else:
        pytest.fail("it fitted")


def test_a_large_constant_and_a_feed_are_refused_in_tensorflow_s_words(small: ModuleType) -> None:
    array = np.ones([32, 256, 1024], np.float32)
    said = str(refused(lambda: tf.constant(array)))
    assert said.splitlines()[0].endswith("by allocator GPU_0_bfc [Op:_EagerConst] name: ")
    assert "limit: 20.00MiB" in said
    with tf.device("CPU:0"):
        there = tf.constant(array)
    assert "[Op:Tanh]" in str(refused(lambda: tf.tanh(there)))
    assert "limit: 20.00MiB" in str(refused(lambda: there.gpu()))


def test_looking_again_finds_as_much_memory_as_before(accelerator: ModuleType) -> None:
    (_, first, *_) = inventory.devices_for(None)
    tf.ones([4])  # takes nearly all of the card
    assert accelerator.memory_reserved(0) > first.memory_limit_bytes - 64 * MIB
    held = torch.ones(8 * MIB, device="accel:0")
    inventory.reset()
    (_, again, *_) = inventory.devices_for(None)
    assert again.memory_limit_bytes == first.memory_limit_bytes
    del held


def test_without_growth_the_limit_is_reserved_and_with_it_only_what_is_used(
    accelerator: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory.set_lives(ledgers.lives)
    monkeypatch.setenv("PLACEWISE_MEMORY", "1GiB")
    inventory.reset()
    tf.ones([4])
    assert accelerator.memory_reserved(0) == 1 << 30
    refused(lambda: tf.ones([1 << 28]))
    placewise.release_memory()
    assert accelerator.memory_reserved(0) == 0
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    kept = tf.ones([MIB])
    assert 4 * MIB <= accelerator.memory_reserved(0) < 5 * MIB
    del kept


def test_growth_may_be_set_until_something_is_on_the_card(accelerator: ModuleType) -> None:
    inventory.set_lives(ledgers.lives)
    with tf.device("CPU:0"):
        kept = tf.ones([4])  # starts the cards
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    kept = tf.ones([4])
    assert inventory.inventory().default.grows
    with pytest.raises(RuntimeError, match="cannot be modified after being initialized"):
        tf.config.set_logical_device_configuration(
            gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=64)]
        )
    del kept


def test_giving_back_one_card_leaves_the_others_theirs(accelerator: ModuleType) -> None:
    kept = tf.ones([4]).gpu(1)
    before = accelerator.memory_reserved(1)
    assert before > 1 << 30
    ledgers.release(inventory.inventory().of_kind("GPU")[0])
    assert accelerator.memory_reserved(0) == 0
    assert accelerator.memory_reserved(1) == before
    del kept


def test_a_closed_session_gives_its_memory_back(
    accelerator: ModuleType, graph_mode: None, caplog: pytest.LogCaptureFixture
) -> None:
    options = v1.GPUOptions(per_process_gpu_memory_fraction=0.125)
    caplog.set_level("INFO", "tensorflow")
    with v1.Session(config=v1.ConfigProto(gpu_options=options)) as session:
        with v1.device("/gpu:0"):
            total = v1.reduce_sum(v1.ones([1024, 1024]) + np.ones([1024, 1024], np.float32))
        assert session.run(total) == 2 << 20
        assert accelerator.memory_reserved(0) == 2 << 30
        assert "with 2048 MB memory" in caplog.text
    assert accelerator.memory_reserved(0) == 0
    assert "The last session is closed. Mapped on GPUs: " in caplog.text
    assert caplog.text.rstrip().endswith("now 0B.")


def test_a_session_s_metadata_tell_what_each_node_took(
    accelerator: ModuleType, graph_mode: None
) -> None:
    with v1.device("/gpu:0"):
        x = v1.placeholder(v1.float32, [256, 1024])
        made = v1.reshape(v1.tanh(x, name="made"), [-1], name="same")
        shape = v1.shape(made, name="shape")
    metadata = v1.RunMetadata()
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    with v1.Session() as session:
        feed = {x: np.ones([256, 1024], np.float32)}
        session.run([made, shape], feed, options=options, run_metadata=metadata)
    nodes = {
        node.node_name: [(each.allocator_name, each.total_bytes) for each in node.memory]
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    assert nodes["made"] == [("GPU_0_bfc", MIB)]
    assert nodes["same"] == []
    assert all(name == "cpu" for name, _ in nodes.get("shape", []))


def test_peaks_are_torch_s(accelerator: ModuleType) -> None:
    kept = tf.ones([256, 1024])
    gone = tf.ones([1024, 1024])
    del gone
    info = tf.config.experimental.get_memory_info("GPU:0")
    assert info["peak"] - info["current"] >= 4 * MIB
    tf.config.experimental.reset_memory_stats("GPU:0")
    info = tf.config.experimental.get_memory_info("GPU:0")
    assert info["peak"] == info["current"] >= MIB
    del kept


def test_a_snapshot_tells_of_the_card(accelerator: ModuleType) -> None:
    variable = tf.Variable(tf.ones([256, 1024]), name="weights")
    found = placewise.memory.snapshot()["GPU:0"]
    [held] = [each for each in found.held if each.variable]
    assert (held.variable, held.shape, held.nbytes) == ("weights", (256, 1024), MIB)
    assert (held.file, found.bytes_in_use >= MIB) == (__file__, True)
    assert "1.00MiB variable weights [256,1024] float, made at " in str(found.holders[0])
    assert found.limit_bytes == found.mapped_bytes
    assert "variable" in placewise.memory.snapshot().to_json()
    del variable


# Two devices of one card.


@pytest.fixture
def parts(accelerator: ModuleType) -> ModuleType:
    gpu = tf.config.list_physical_devices("GPU")[0]
    tf.config.set_visible_devices(gpu, "GPU")
    limits = [tf.config.LogicalDeviceConfiguration(memory_limit=size) for size in (80, 160)]
    tf.config.set_logical_device_configuration(gpu, limits)
    return accelerator


def test_each_part_of_a_card_has_its_limit(parts: ModuleType) -> None:
    with tf.device("GPU:0"):
        error = refused(lambda: tf.ones([100, 256, 1024]))
    assert "limit: 80.00MiB" in str(error)
    with tf.device("GPU:1"):
        kept = tf.ones([100, 256, 1024])
    assert (used("GPU:0") < MIB, used("GPU:1") >= 100 * MIB) == (True, True)
    assert parts.memory_reserved(0) == 240 * MIB
    [first, second] = placewise.memory.snapshot().devices
    assert (first.limit_bytes, second.limit_bytes) == (80 * MIB, 160 * MIB)
    assert str(second.holders[0]).startswith("100.00MiB Fill [100,256,1024] float")
    assert "made at " in str(second.holders[0])
    del kept


def test_a_copy_between_parts_stays_on_the_card(parts: ModuleType) -> None:
    with tf.device("GPU:0"):
        x = tf.ones([256, 1024])
    with parts.counted() as counted:
        y = x.gpu(1)
    assert (counted.h2d, counted.d2h, counted.syncs) == (0, 0, 0)
    assert x._value.data_ptr() != y._value.data_ptr()
    assert used("GPU:1") == MIB
    np.testing.assert_array_equal(x.numpy(), y.numpy())


def test_views_on_a_part_are_not_copied(parts: ModuleType) -> None:
    with tf.device("GPU:0"):
        x = tf.random.normal([256, 1024])
        before, allocations = used(), parts.memory_stats(0)["allocation.all.allocated"]
        turned, column = tf.transpose(x), x[:, 3]
        assert parts.memory_stats(0)["allocation.all.allocated"] == allocations
        assert used() == before
        del x
        assert used() == before, "views keep what they see"
        del turned, column
        assert used() < MIB


def test_what_is_in_host_memory_counts_on_no_part(parts: ModuleType) -> None:
    with tf.device("GPU:0"):
        tf.ones([2])
        before = used()
        kept = [tf.range(1000), tf.range(1000) > 3, tf.shape(tf.ones([3]), out_type=tf.int64)]
        assert used() == before
        assert all(each._value.device.type == "cpu" for each in kept)


def test_a_constant_of_a_function_is_on_its_part_once(parts: ModuleType) -> None:
    table = np.full([256, 1024], 2.0, np.float32)  # a product with ones would be left out

    @tf.function
    def looked_up(x: Any) -> Any:
        return tf.reduce_sum(x * table)

    with tf.device("GPU:1"):
        x = tf.ones([256, 1024])
        looked_up(x)
        before = used("GPU:1")
        assert 2 * MIB <= before < 2 * MIB + 8192
        assert parts.memory_allocated(0) < 2 * MIB + 8192
        assert looked_up(x).numpy() == 2 * 256 * 1024
        assert used("GPU:1") == before


def test_replicas_on_the_parts_of_a_card_add_up(parts: ModuleType) -> None:
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    with strategy.scope():
        variable = tf.Variable(tf.ones([256, 1024]), name="weights")

    @tf.function
    def step() -> Any:
        return strategy.run(lambda: tf.reduce_sum(variable) * 2.0)

    total = strategy.reduce("SUM", step(), axis=None)
    assert total.numpy() == 4 * 256 * 1024
    for device in placewise.memory.snapshot().devices:
        assert "1.00MiB variable weights" in str(device.holders[0])


def test_a_session_divides_a_card_too(accelerator: ModuleType, graph_mode: None) -> None:
    options = v1.GPUOptions(visible_device_list="0")
    options.experimental.virtual_devices.add(memory_limit_mb=[64, 256])
    with v1.Session(config=v1.ConfigProto(gpu_options=options)) as session:
        with v1.device("/gpu:0"):
            rows = v1.placeholder(v1.int32, [])
            large = v1.reduce_sum(v1.tanh(v1.fill([rows, 256, 1024], 0.0)))
            small = v1.reduce_sum(v1.constant(np.ones([256, 1024], np.float32)))
        with v1.device("/gpu:1"):
            same = v1.reduce_sum(v1.tanh(v1.fill([rows, 256, 1024], 0.0))) + small
        assert "limit: 64.00MiB" in str(refused(lambda: session.run(large, {rows: 80})))
        assert session.run(same, {rows: 80}) == 256 * 1024
    assert accelerator.memory_reserved(0) == 0
