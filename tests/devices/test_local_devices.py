"""`device_lib.list_local_devices`, and the questions of `tf.test`."""

import logging

import pytest

from placewise import messages
from placewise.devices import inventory, test_queries
from placewise.devices.local_devices import list_local_devices


def test_the_cpu_as_printed():
    with inventory.simulate("0"):
        [cpu] = list_local_devices()
    cpu.incarnation = 16954815380514583302
    assert str(cpu) == (
        'name: "/device:CPU:0"\ndevice_type: "CPU"\nmemory_limit: 268435456\nlocality {\n}\n'
        "incarnation: 16954815380514583302\nxla_global_id: -1\n"
    )


def test_a_gpu_as_printed():
    with inventory.simulate("K40c@05:00.0"):
        gpu = list_local_devices()[1]
    gpu.incarnation = 7
    assert str(gpu) == (
        'name: "/device:GPU:0"\ndevice_type: "GPU"\nmemory_limit: 12358516736\nlocality {\n'
        "  bus_id: 1\n  links {\n  }\n}\nincarnation: 7\nphysical_device_desc: "
        '"device: 0, name: Tesla K40c, pci bus id: 0000:05:00.0, compute capability: 3.5"\n'
        "xla_global_id: 416903419\n"
    )


def test_each_call_has_new_incarnations_and_starts_nothing():
    with inventory.simulate("2"):
        first, second = list_local_devices(), list_local_devices()
        assert not inventory.initialized()
    assert len({device.incarnation for device in first + second}) == 6
    assert len({device.xla_global_id for device in first}) == 3


def test_a_session_config_counts():
    with inventory.simulate("2"):
        config = messages.ConfigProto(device_count={"GPU": 1, "CPU": 2})
        names = [device.name for device in list_local_devices(config)]
    assert names == ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]


def test_gpu_questions():
    with inventory.simulate("K40c"):
        assert test_queries.gpu_device_name() == "/device:GPU:0"
        assert test_queries.is_built_with_cuda() and test_queries.is_built_with_gpu_support()
        assert not test_queries.is_built_with_rocm()
        assert test_queries.is_built_with_xla()
    with inventory.simulate("MI300X"):
        assert test_queries.is_built_with_rocm() and test_queries.is_built_with_gpu_support()
    with inventory.simulate("0"):
        assert test_queries.gpu_device_name() == ""


@pytest.mark.parametrize(
    ("machine", "arguments", "available"),
    [
        ("0", {}, False),
        ("K40c", {}, True),
        ("K40c", {"min_cuda_compute_capability": (3, 5)}, True),
        ("K40c", {"min_cuda_compute_capability": (5, 0)}, False),
        ("MI300X", {}, True),
        ("MI300X", {"cuda_only": True}, False),
    ],
)
def test_is_gpu_available(machine, arguments, available):
    with inventory.simulate(machine):
        assert test_queries.is_gpu_available(**arguments) is available


def test_is_gpu_available_is_deprecated_and_says_so_once_per_line(caplog):
    with inventory.simulate("0"), caplog.at_level(logging.WARNING, "tensorflow"):
        for _ in range(2):
            test_queries.is_gpu_available()
    [record] = caplog.records
    assert record.name == "tensorflow"
    where, _, said = record.getMessage().partition(": ")
    assert "test_local_devices.py:" in where
    assert said == (
        "is_gpu_available (from tensorflow.python.framework.test_util) is deprecated and will be "
        "removed in a future version.\nInstructions for updating:\n"
        "Use `tf.config.list_physical_devices('GPU')` instead."
    )
