"""Which session fixes the memory of a GPU, what is shown of it, and when it is given back."""

import gc
import logging

import pytest

import placewise.memory
import placewise.v1 as tf
from placewise.devices.inventory import simulate
from placewise.tensorflow import device_lib

MIB = 1 << 20
MACHINE = "2xV100:400MiB"


def session(**gpu_options):
    return tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(**gpu_options)))


def used(opened):
    with opened.graph.as_default(), tf.device("/gpu:0"):
        opened.run(tf.random_normal([512, 512]).op)
    return opened


def limits(opened):
    return [device.memory_limit_bytes for device in opened.list_devices()[1:]]


@pytest.fixture(autouse=True)
def machine(graph_mode):
    gc.collect()  # what other tests have left on machines of their own
    with simulate(MACHINE):
        yield
        tf.Session.reset("")


def test_a_session_fixes_the_memory_of_all_its_gpus_when_it_is_made():
    with session(per_process_gpu_memory_fraction=0.25) as opened:
        made_at = opened._claim.origin
        budgets = placewise.memory.options()
        assert [budget.limit_bytes for budget in budgets] == limits(opened) == [100 * MIB] * 2
        for budget in budgets:
            assert (
                str(budget) == f"0.25 of the card, set by gpu_options of the session at {made_at}"
            )
            assert budget.fixed_at == str(made_at)
    assert {budget.set_by for budget in placewise.memory.options()} == {"default"}


def test_listings_show_the_limit_that_is_shared(caplog):
    first = used(session(allow_growth=True))
    second = session(per_process_gpu_memory_fraction=0.5)
    asked = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.75))
    assert limits(second) == limits(first) == [173 * MIB] * 2
    assert [device.memory_limit for device in device_lib.list_local_devices(asked)[1:]] == [
        173 * MIB
    ] * 2
    (said,) = caplog.messages
    assert said.startswith(
        f"The memory of /device:GPU:0, /device:GPU:1 is fixed: 173.00MiB, growing, since "
        f"{first._claim.origin}. Asked for now, without effect: 200.00MiB."
    )
    used(second)
    assert len(caplog.messages) == 1, "said when it was made"
    assert placewise.memory.options()[0].overrides == (
        f"200.00MiB, asked for later at {second._claim.origin}",
    )


def test_who_asks_for_nothing_is_told_nothing(caplog):
    first = used(session(per_process_gpu_memory_fraction=0.25))
    with tf.Session() as plain:
        assert limits(used(plain)) == limits(first)
    assert not caplog.messages


def test_virtual_devices_of_a_session_are_listed():
    parts = tf.GPUOptions.Experimental
    with session(
        experimental=parts(
            virtual_devices=[parts.VirtualDevices(memory_limit_mb=[10, 20]), parts.VirtualDevices()]
        )
    ) as opened:
        found = [budget.limit_bytes for budget in placewise.memory.options()]
        assert found == limits(opened) == [10 * MIB, 20 * MIB, 173 * MIB]


def test_a_limit_of_nothing_is_shown_as_nothing():
    with session(per_process_gpu_memory_fraction=1e-10) as opened:
        assert limits(opened) == [0, 0]


def test_one_name_is_one_card_while_a_session_has_it():
    with session(visible_device_list="0") as first:
        with pytest.raises(
            tf.errors.AlreadyExistsError,
            match=r"^TensorFlow device \(GPU:0\) is being mapped to multiple CUDA devices "
            r"\(1 now, and 0 previously\), which is not supported",
        ) as caught:
            session(visible_device_list="1")
        assert f"the first was made at {first._claim.origin}" in caught.value.message
    with session(visible_device_list="1") as second:
        assert "2:00.0" in second._devices[1].description


def test_the_memory_is_fixed_until_the_last_session_is_closed(caplog):
    caplog.set_level(logging.INFO, "tensorflow")
    first = used(session(allow_growth=True))
    second = used(tf.Session())
    first.close()
    assert placewise.memory.options()[0].grows
    assert "closed" not in caplog.text
    second.close()
    assert caplog.messages[-1] == "The last session is closed. Mapped on GPUs: 2.00MiB, now 0B."
    assert not placewise.memory.options()[0].grows
    second.close()
    assert caplog.text.count("is closed") == 1


def test_the_log_has_the_limit(caplog):
    caplog.set_level(logging.INFO, "tensorflow")
    with session(per_process_gpu_memory_fraction=0.25):
        assert caplog.messages[0].startswith(
            "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 100 MB memory:  -> "
        )


def test_a_session_that_is_dropped_fixes_nothing_any_more(caplog):
    used(session(per_process_gpu_memory_fraction=0.25))
    gc.collect()
    with session(per_process_gpu_memory_fraction=0.5) as opened:
        assert limits(opened) == [200 * MIB] * 2
    assert not caplog.messages


def test_an_allocator_that_there_is_not():
    with pytest.raises(tf.errors.InternalError, match="Invalid allocator type: nonsense"):
        session(allocator_type="nonsense")
    session(allocator_type="BFC").close()


@pytest.mark.parametrize("fraction", [-0.5, float("nan"), 1.0001])
def test_what_is_no_fraction_is_refused(fraction):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be between 0 and 1, got"):
        session(per_process_gpu_memory_fraction=fraction)


def test_the_variable_that_forces_growth_is_said_once_and_only_if_it_differs(monkeypatch, caplog):
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    with simulate(MACHINE):
        with session(allow_growth=True):
            placewise.memory.options()
        assert not caplog.messages
        for _ in range(2):
            with tf.Session() as opened:
                opened.list_devices()
    (said,) = caplog.messages
    assert said.endswith("Original config value was 0.")


def test_a_memory_policy_without_a_gpu_says_that_it_has_no_effect(monkeypatch, caplog):
    monkeypatch.setenv("PLACEWISE_MEMORY", "0.6")
    with simulate(0):
        for _ in range(2):
            tf.Session().close()
    (said,) = caplog.messages
    assert said.startswith("placewise run --memory (PLACEWISE_MEMORY=0.6) has no effect: there is")
