"""Planned GPUs: cards of a described machine whose tensors have shapes and no contents."""

import placewise as tf
from placewise.devices.inventory import inventory, plan_on
from placewise.memory import ledgers


def test_planned_gpus_have_the_facts_of_simulated_ones():
    with tf.simulate("2xK40c,V100"):
        simulated = inventory().of_kind("GPU")
    with plan_on("2xK40c,V100"):
        planned = inventory().of_kind("GPU")
    assert [gpu.card.name for gpu in planned] == [gpu.card.name for gpu in simulated]
    assert [gpu.memory_limit_bytes for gpu in planned] == [
        gpu.memory_limit_bytes for gpu in simulated
    ]
    assert all(gpu.simulated and gpu.has_own_memory for gpu in planned)
    assert [gpu.has_contents for gpu in planned] == [False] * 3
    assert all(not gpu.unsupported_types for gpu in planned)


def test_a_machine_that_the_program_simulates_is_planned_as_well():
    with plan_on("V100"), tf.simulate("2xK40c"):
        assert [gpu.has_contents for gpu in inventory().of_kind("GPU")] == [False, False]
    with tf.simulate("V100"):
        assert inventory().default.has_contents


def test_tensors_of_planned_gpus_are_counted_beyond_the_limit():
    with plan_on("V100:2GiB"):
        big = tf.ones([1 << 15, 1 << 15]) + tf.ones([1 << 15, 1 << 15])
        assert big.device.endswith("GPU:0")
        (ledger,) = ledgers.opened()
        assert ledger.settle().bytes_in_use >= 1 << 32
        assert inventory().default.memory_limit_bytes < 1 << 31


def test_each_planned_gpu_counts_its_own():
    with plan_on("2xV100"):
        with tf.device("/gpu:0"):
            x = tf.ones([1024, 1024])
        with tf.device("/gpu:1"):
            y = tf.identity(x)
        del x
        first, second = ledgers.opened()
        assert first.settle().bytes_in_use < 1 << 20
        assert second.settle().bytes_in_use >= 1 << 22
        assert y.device.endswith("GPU:1")
