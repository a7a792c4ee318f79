"""Devices from a machine and a ConfigProto."""

import pytest

from placewise import messages
from placewise.core.errors import InvalidArgumentError, NotFoundError, UnknownError
from placewise.devices.creation import make_devices
from placewise.devices.discovery import discover
from placewise.devices.environment import Environment
from placewise.devices.facts import GIB, MIB
from placewise.devices.options import from_config_proto


def made(machine, environment=Environment(), **fields):  # noqa: B008
    options = from_config_proto(messages.ConfigProto(**fields))
    return make_devices(discover(environment, machine), options)


def gpus(*arguments, **fields):
    devices = [device for device in made(*arguments, **fields) if device.kind == "GPU"]
    return [(device.cuda_index, device.memory_limit_bytes) for device in devices]


def gpu_options(limits=(), ordinals=(), **fields):
    options = messages.GPUOptions(**fields)
    for place, parts in enumerate(limits):
        ordinal = ordinals[place] if ordinals else ()
        options.experimental.virtual_devices.add(memory_limit_mb=parts, device_ordinal=ordinal)
    return options


def test_all_devices_by_default():
    devices = made("2xK40c")
    assert [device.local_name for device in devices] == [
        "/device:CPU:0",
        "/device:GPU:0",
        "/device:GPU:1",
    ]
    cpu, gpu, _ = devices
    assert cpu.name == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert (cpu.kind, cpu.index, cpu.torch_device, cpu.memory_limit_bytes) == (
        "CPU",
        0,
        "cpu",
        None,
    )
    assert (cpu.description, cpu.simulated, cpu.card) == ("", False, None)
    assert gpu.simulated and gpu.torch_device == "cpu"
    assert gpu.description == (
        "device: 0, name: Tesla K40c, pci bus id: 0000:01:00.0, compute capability: 3.5"
    )
    assert repr(gpu) == "<Device /job:localhost/replica:0/task:0/device:GPU:0>"


def test_counts_bound_each_kind():
    assert len(made("4", device_count={"GPU": 0})) == 1
    assert len(made("4", device_count={"GPU": 2, "CPU": 3})) == 5
    assert len(made("4", device_count={"GPU": 9})) == 5
    with pytest.raises(NotFoundError, match="No CPU devices are available in this process"):
        made("4", device_count={"CPU": 0})


def test_the_visible_list_orders_devices():
    devices = made("4", gpu_options=gpu_options(visible_device_list="3,1"))
    assert [device.cuda_index for device in devices[1:]] == [3, 1]
    assert devices[1].description.startswith("device: 3, ")
    with pytest.raises(InvalidArgumentError, match="invalid Device id '4'"):
        made("4", gpu_options=gpu_options(visible_device_list="4"))


def test_virtual_devices_divide_cards():
    limits = [[1024, 2048], [3072, 4096]]
    options = gpu_options(limits, visible_device_list="1,0")
    assert gpus("2", gpu_options=options) == [(1, GIB), (1, 2 * GIB), (0, 3 * GIB), (0, 4 * GIB)]
    options = gpu_options(limits, [[10, 20], [10, 20]], visible_device_list="1,0")
    assert gpus("2", gpu_options=options) == [(1, GIB), (0, 3 * GIB), (1, 2 * GIB), (0, 4 * GIB)]


def test_an_empty_element_is_an_undivided_card():
    [(_, part), (_, whole)] = gpus("2xK40c", gpu_options=gpu_options([[1], []]))
    assert (part, whole) == (MIB, 12 * GIB - 502 * MIB)


def test_equal_parts_per_gpu():
    options = messages.GPUOptions()
    options.experimental.num_virtual_devices_per_gpu = 3
    rows = gpus("K40c", gpu_options=options)
    assert len(rows) == 3 and len(set(rows)) == 1


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        (
            gpu_options([[1], [1]], per_process_gpu_memory_fraction=0.5),
            InvalidArgumentError,
            "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.",
        ),
        (
            gpu_options([[1]] * 3),
            UnknownError,
            "Not enough GPUs to create virtual devices. num_gpus_to_use: 2 #virtual_devices: 3",
        ),
        (
            gpu_options([[1]], visible_device_list="0,1"),
            InvalidArgumentError,
            "The number of GPUs in visible_device_list doesn't match the number of elements in the "
            "virtual_devices list. #GPUs in visible_device_list: 2 virtual_devices.size(): 1",
        ),
        (
            gpu_options([[1]]),
            UnknownError,
            "The number of valid GPUs doesn't match the number of elements in the virtual_devices "
            "list. #valid GPUs: 2 virtual_devices.size(): 1",
        ),
    ],
)
def test_virtual_devices_that_do_not_fit(options, error, said):
    with pytest.raises(error) as caught:
        made("2", gpu_options=options)
    assert str(caught.value).splitlines()[0] == said


def test_small_cards_beside_large_ones_are_left_out():
    found = discover(Environment(), "K10:4GiB,V100,A2")
    assert [gpu.card.name for gpu in found.gpus] == [
        "Tesla V100-SXM2-16GB",
        "NVIDIA A2",
        "Tesla K10.G1.8GB",
    ]
    found = discover(Environment(min_multiprocessors="9"), "K10:4GiB,V100")
    assert [gpu.card.name for gpu in found.gpus] == ["Tesla V100-SXM2-16GB"]
    assert found.reasons == (
        "Ignoring visible gpu device (device: 1, name: Tesla K10.G1.8GB, pci bus id: 0000:01:00.0, "
        "compute capability: 3.0) with core count: 8. The minimum required count is 9. You can "
        "adjust this requirement with the env var TF_MIN_GPU_MULTIPROCESSOR_COUNT.",
    )
    assert len(discover(Environment(min_multiprocessors="x"), "V100").gpus) == 1


def test_a_mask_that_hides_all_is_the_reason():
    found = discover(Environment(visible="-1"), "2")
    assert found.gpus == ()
    assert found.reasons == ("CUDA_VISIBLE_DEVICES='-1' hides all 2 cards",)


def test_forced_growth_is_recorded_on_the_device():
    environment = Environment(force_growth="true")
    assert all(device.grows for device in made("2", environment) if device.kind == "GPU")
    assert not made("2")[1].grows
    assert made("2", gpu_options=gpu_options(allow_growth=True))[1].grows
