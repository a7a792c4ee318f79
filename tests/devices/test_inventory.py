"""Starting, changing and replacing the devices of the process."""

import random
import subprocess
import sys
import threading

import pytest

from placewise.devices import inventory as state
from placewise.devices.configuration import (
    list_physical_devices,
    set_logical_device_configuration,
    set_memory_growth,
    set_visible_devices,
)
from placewise.devices.handles import LogicalDeviceConfiguration


def test_looking_does_not_start_and_first_use_does():
    with state.simulate("2"):
        assert len(list_physical_devices()) == 3
        assert not state.initialized()
        devices = state.inventory()
        assert state.initialized()
        assert devices.started_by.file == __file__
        assert state.inventory() is devices


def test_devices_are_found_by_full_name():
    with state.simulate("2xK20m"):
        here = state.inventory()
        assert here.kinds == ("CPU", "GPU")
        assert here.default is here.find("/job:localhost/replica:0/task:0/device:GPU:0")
        assert here.cpu is here.devices[0]
        assert here.find("/device:GPU:0") is None
        assert [device.index for device in here.of_kind("GPU")] == [0, 1]
    with state.simulate("0"):
        assert state.inventory().default is state.inventory().cpu
        assert state.discovery().reasons == ("the simulated machine '0' has no GPU",)


def test_simulate_restores_what_was_before():
    before = state.inventory()
    state.put("soft_placement", True)
    with state.simulate("4xK20m") as machine:
        assert repr(machine) == "<simulated machine '4xK20m'>"
        assert len(state.inventory().devices) == 5
        assert state.settings().soft_placement is True
        state.put("soft_placement", False)
        with state.simulate(1):
            assert len(state.inventory().devices) == 2
        assert len(state.inventory().devices) == 5
    assert state.inventory() is before
    assert state.settings().soft_placement is True


def test_simulate_takes_hold_at_once_and_takes_lists():
    state.simulate(["K40c", "2xT4"])
    assert len(list_physical_devices("GPU")) == 3
    with pytest.raises(ValueError, match="there is no model 'nothing'"):
        state.simulate("nothing")
    assert len(list_physical_devices("GPU")) == 3


def test_the_environment_is_read_at_first_use(monkeypatch):
    monkeypatch.setenv("PLACEWISE_SIMULATE", "4xK20m")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,0")
    assert len(list_physical_devices("GPU")) == 2
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert len(list_physical_devices("GPU")) == 2
    gpu = state.inventory().default
    assert gpu.description.startswith("device: 0, name: Tesla K20m, pci bus id: 0000:03:00.0")
    state.reset()
    assert list_physical_devices("GPU") == []


def test_an_empty_description_simulates_nothing(monkeypatch):
    monkeypatch.setenv("PLACEWISE_SIMULATE", "")
    assert state.discovery().machine is None


def test_listeners_hear_of_changes_only():
    heard = []
    end = state.on_change(lambda: heard.append(len(state.inventory().devices)))
    try:
        with state.simulate("2"):
            gpus = list_physical_devices("GPU")
            set_visible_devices(gpus[:1], "GPU")
            set_visible_devices(gpus[:1], "GPU")
            assert heard == [3, 2]
        assert heard == [3, 2, 1]
    finally:
        end()
    state.reset()
    assert len(heard) == 3


def test_setting_listeners_hear_of_settings():
    heard = []
    end = state.on_settings(lambda: heard.append(state.settings().soft_placement))
    state.put("soft_placement", True)
    end()
    state.put("soft_placement", False)
    assert heard == [True]
    assert state.settings().set_by["soft_placement"].file == __file__


def test_unchanged_devices_stay_the_same_objects():
    with state.simulate("2"):
        before = state.inventory()
        gpus = list_physical_devices("GPU")
        set_logical_device_configuration(
            gpus[1], [LogicalDeviceConfiguration(100), LogicalDeviceConfiguration(200)]
        )
        after = state.inventory()
        assert after is not before
        assert after.devices[:2] == before.devices[:2]
        assert [device.memory_limit_bytes >> 20 for device in after.devices[2:]] == [100, 200]


def test_after_use_settings_stand_and_the_error_names_the_lines():
    with state.simulate("2"):
        state.inventory()
        state.mark_used()
        with pytest.raises(RuntimeError) as caught:
            set_visible_devices([], "GPU")
    first, second = str(caught.value).splitlines()
    assert first == "Visible devices cannot be modified after being initialized"
    assert "the devices were started at " in second and "test_inventory.py:" in second
    assert "first used at " in second


def test_devices_nothing_lives_on_may_still_change():
    with state.simulate("2"):
        here = state.inventory()
        state.mark_used()
        state.set_lives(lambda device: device is here.devices[1])
        gpus = list_physical_devices("GPU")
        set_logical_device_configuration(gpus[1], [LogicalDeviceConfiguration(64)])
        assert state.inventory().devices[2].memory_limit_bytes == 64 << 20
        with pytest.raises(RuntimeError, match="Virtual devices cannot be modified"):
            set_logical_device_configuration(gpus[0], [LogicalDeviceConfiguration(64)])


def test_settings_that_do_not_go_together_are_said_at_the_next_start():
    with state.simulate("2"):
        state.inventory()
        gpus = list_physical_devices("GPU")
        set_memory_growth(gpus[0], True)
        with pytest.raises(ValueError, match="Memory growth cannot differ between GPU devices"):
            state.inventory()
        set_memory_growth(gpus[1], True)
        assert all(device.grows for device in state.inventory().of_kind("GPU"))


def test_settings_that_do_not_go_together_may_be_mended_after_use():
    with state.simulate("2"):
        state.inventory()
        state.mark_used()
        state.set_lives(lambda device: False)
        for gpu in list_physical_devices("GPU"):
            set_memory_growth(gpu, True)
        assert all(device.grows for device in state.inventory().of_kind("GPU"))


def test_what_cannot_go_with_a_device_in_use_is_too_late_and_changes_nothing():
    with state.simulate("2"):
        gpus = list_physical_devices("GPU")
        for gpu in gpus:
            set_memory_growth(gpu, True)
        here = state.inventory()
        state.mark_used()
        state.set_lives(lambda device: device is here.devices[1])
        with pytest.raises(RuntimeError, match="Physical devices cannot be modified after being"):
            set_memory_growth(gpus[1], False)
        assert state.inventory() is here
        assert [state.settings().growth_of(gpu) for gpu in gpus] == [True, True]
        with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being"):
            # Where one card is divided none grows: the other would have to change.
            set_logical_device_configuration(gpus[1], [LogicalDeviceConfiguration(64)])
        assert state.inventory() is here


def test_threads_start_the_devices_once():
    with state.simulate("64"):
        seen = set()
        threads = [
            threading.Thread(target=lambda: seen.add(id(state.inventory()))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 1


def test_a_session_shares_the_devices_it_does_not_change():
    from placewise import messages

    with state.simulate("2"):
        here = state.inventory()
        assert state.devices_for(None) == here.devices
        config = messages.ConfigProto(device_count={"GPU": 1})
        assert state.devices_for(config) == here.devices[:2]
        config.gpu_options.per_process_gpu_memory_fraction = 0.5
        assert state.devices_for(config)[1] is not here.devices[1]


def test_finding_devices_leaves_the_programs_own_random_numbers_alone() -> None:
    program = (
        "import random, placewise as tf; random.seed(8);"
        "tf.config.list_logical_devices(); tf.constant(1.0) + 1; print(random.random())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert float(done.stdout) == random.Random(8).random()
