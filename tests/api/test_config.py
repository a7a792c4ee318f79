"""tf.config: answers and errors are TensorFlow's, but for what may still change."""

import pytest

from placewise import config, gpu
from placewise.config import LogicalDeviceConfiguration as Part
from placewise.config import PhysicalDevice, experimental, threading
from placewise.devices import inventory
from placewise.devices.configuration import get_log_device_placement, set_log_device_placement

ABSENT = PhysicalDevice("/physical_device:GPU:7", "GPU")


def first_line(caught):
    return str(caught.value).splitlines()[0]


@pytest.fixture
def three():
    with inventory.simulate("3xK40c:2GiB"):
        yield config.list_physical_devices("GPU")


@pytest.fixture
def cpu():
    return config.list_physical_devices("CPU")[0]


def logical(kind="GPU"):
    return [device.name for device in config.list_logical_devices(kind)]


def test_listing(three):
    assert repr(config.list_physical_devices()[:2]) == (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU'), "
        "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')]"
    )
    assert config.list_physical_devices("gpu") == config.list_physical_devices(3) == []
    assert config.get_visible_devices("GPU") == three
    assert not inventory.initialized()
    assert repr(config.list_logical_devices("CPU")) == (
        "[LogicalDevice(name='/device:CPU:0', device_type='CPU')]"
    )
    assert inventory.initialized()
    assert logical() == ["/device:GPU:0", "/device:GPU:1", "/device:GPU:2"]


def test_a_listed_list_is_the_callers_own(three):
    config.list_physical_devices().clear()
    config.get_visible_devices().clear()
    assert len(config.list_physical_devices()) == len(config.get_visible_devices()) == 4


def test_visible_devices_are_numbered_in_their_order(three, cpu):
    config.set_visible_devices([three[2], three[0]], "GPU")
    assert config.get_visible_devices() == [cpu, three[2], three[0]]
    assert logical() == ["/device:GPU:0", "/device:GPU:1"]
    assert [device.cuda_index for device in inventory.inventory().of_kind("GPU")] == [2, 0]
    config.set_visible_devices([], "GPU")
    assert logical() == []
    config.set_visible_devices([cpu, three[1]])
    assert logical() == ["/device:GPU:0"]
    config.set_visible_devices(three[0], "GPU")
    assert config.get_visible_devices("GPU") == three[:1]


def test_a_program_without_cpu_does_not_start(three):
    from placewise.core.errors import InvalidArgumentError, NotFoundError

    config.set_visible_devices([])
    with pytest.raises(NotFoundError, match="No CPU devices are available in this process"):
        config.list_logical_devices()
    config.set_visible_devices([*config.list_physical_devices("CPU"), three[0], three[0]])
    with pytest.raises(InvalidArgumentError, match="contained a duplicate entry: 0,0"):
        config.list_logical_devices()


@pytest.mark.parametrize(
    "call",
    [
        lambda device: config.set_visible_devices(device),
        lambda device: config.set_visible_devices([device], "GPU"),
        lambda device: experimental.set_memory_growth(device, True),
        lambda device: experimental.get_memory_growth(device),
        lambda device: config.get_logical_device_configuration(device),
        lambda device: config.set_logical_device_configuration(device, [Part(1)]),
    ],
)
@pytest.mark.parametrize("device", [ABSENT, "x", None, 3])
def test_unknown_devices(three, call, device):
    with pytest.raises(ValueError) as caught:
        call(device)
    assert first_line(caught) == f"Unrecognized device: {device!r}"
    assert "here: /physical_device:CPU:0, /physical_device:GPU:0" in str(caught.value)


def test_visible_devices_must_be_of_the_type(three, cpu):
    with pytest.raises(ValueError) as caught:
        config.set_visible_devices([cpu], "GPU")
    assert first_line(caught) == f"Unrecognized device: {cpu!r}"
    with pytest.raises(ValueError, match=r"Unrecognized device: \(PhysicalDevice"):
        config.set_visible_devices((cpu,))


def test_memory_growth(three, cpu):
    assert experimental.get_memory_growth(three[0]) is None
    with pytest.raises(KeyError):
        experimental.get_memory_growth(cpu)
    with pytest.raises(ValueError) as caught:
        experimental.set_memory_growth(cpu, True)
    assert first_line(caught) == "Cannot set memory growth on non-GPU and non-Pluggable devices"
    for value in (False, True):
        experimental.set_memory_growth(three[0], value)
        with pytest.raises(ValueError) as caught:
            config.list_logical_devices()
        assert first_line(caught) == "Memory growth cannot differ between GPU devices"
    for device in three:
        experimental.set_memory_growth(device, 1)
    assert experimental.get_memory_growth(three[1]) is True
    assert all(device.grows for device in inventory.inventory().of_kind("GPU"))


def test_growth_and_division_exclude_each_other(three):
    experimental.set_memory_growth(three[0], True)
    config.set_logical_device_configuration(three[0], [Part(100), Part(200)])
    assert experimental.get_memory_growth(three[0]) is True
    with pytest.raises(ValueError) as caught:
        experimental.set_memory_growth(three[0], False)
    assert first_line(caught) == (
        "Cannot set memory growth on device when virtual devices configured"
    )
    devices = inventory.inventory().of_kind("GPU")
    assert [device.memory_limit_bytes >> 20 for device in devices] == [100, 200, 1821, 1821]
    assert not any(device.grows for device in devices)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Part(1), "Setting memory limit on CPU virtual devices is currently not supported"),
        (
            Part(experimental_priority=1),
            "Setting experimental_priority on CPU virtual  devices is currently not supported",
        ),
        (
            Part(experimental_device_ordinal=1),
            "Setting experimental_device_ordinal on CPU virtual  devices is currently not "
            "supported",
        ),
    ],
)
def test_parts_of_a_cpu_have_no_properties(cpu, part, said):
    with pytest.raises(ValueError) as caught:
        config.set_logical_device_configuration(cpu, [part])
    assert first_line(caught) == said


def test_parts_of_a_gpu_need_a_limit(three):
    with pytest.raises(ValueError) as caught:
        config.set_logical_device_configuration(three[0], [Part()])
    assert first_line(caught) == "Setting memory limit is required for GPU virtual devices"
    for bad in (-5, 0, "x"):
        with pytest.raises(ValueError, match=f"Expected a memory limit in MB, got {bad!r}"):
            config.set_logical_device_configuration(three[0], [Part(bad)])


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            Part(2, experimental_priority=1),
            "priority must be specified for all virtual devices",
        ),
        (
            Part(2, experimental_device_ordinal=1),
            "device_ordinals must be specified for all virtual devices",
        ),
    ],
)
def test_priorities_and_ordinals_are_for_all_or_none(three, part, said):
    config.set_logical_device_configuration(three[0], [Part(1), part])
    with pytest.raises(ValueError) as caught:
        config.list_logical_devices()
    assert first_line(caught) == said


def test_ordinals_sort_devices_across_cards(three):
    for device, limits in ((three[0], (100, 200)), (three[1], (300, 400))):
        config.set_logical_device_configuration(
            device,
            [Part(limit, 0, place) for place, limit in enumerate(limits)],
        )
    config.set_visible_devices(three[:2], "GPU")
    limits = [device.memory_limit_bytes >> 20 for device in inventory.inventory().of_kind("GPU")]
    assert limits == [100, 300, 200, 400]


def test_a_cpu_is_divided(cpu):
    parts = [Part(), Part(), Part()]
    assert config.get_logical_device_configuration(cpu) is None
    config.set_logical_device_configuration(cpu, parts)
    assert config.get_logical_device_configuration(cpu) == parts
    assert logical("CPU") == ["/device:CPU:0", "/device:CPU:1", "/device:CPU:2"]


def test_no_part_of_a_cpu_is_no_cpu(cpu):
    config.set_logical_device_configuration(cpu, [])
    with pytest.raises(Exception, match="No CPU devices are available in this process"):
        config.list_logical_devices()


TOO_LATE = {
    "Visible devices cannot be modified after being initialized": lambda gpus, cpu: (
        config.set_visible_devices(gpus[:1], "GPU")
    ),
    "Physical devices cannot be modified after being initialized": lambda gpus, cpu: (
        experimental.set_memory_growth(gpus[0], True)
    ),
    "Virtual devices cannot be modified after being initialized": lambda gpus, cpu: (
        config.set_logical_device_configuration(cpu, [Part(), Part()])
    ),
    "Intra op parallelism cannot be modified after initialization.": lambda gpus, cpu: (
        threading.set_intra_op_parallelism_threads(7)
    ),
    "Inter op parallelism cannot be modified after initialization.": lambda gpus, cpu: (
        threading.set_inter_op_parallelism_threads(7)
    ),
    "GPU options must be set at program startup": lambda gpus, cpu: (
        config.gpu.set_per_process_memory_fraction(0.4)
    ),
}


@pytest.mark.parametrize("said", TOO_LATE)
def test_what_comes_too_late_names_the_line_that_came_first(three, cpu, said):
    config.list_logical_devices()
    inventory.mark_used()
    with pytest.raises(RuntimeError) as caught:
        TOO_LATE[said](three, cpu)
    assert first_line(caught) == said
    assert "the devices were started at " in str(caught.value)
    assert "test_config.py:" in str(caught.value)


def test_setting_the_same_again_is_never_too_late(three, cpu):
    parts = [Part()]
    config.set_logical_device_configuration(cpu, parts)
    config.gpu.set_per_process_memory_growth()
    threading.set_intra_op_parallelism_threads(0)
    config.list_logical_devices()
    inventory.mark_used()
    config.set_visible_devices(three, "GPU")
    config.set_logical_device_configuration(cpu, [Part()])
    config.gpu.set_per_process_memory_growth(True)
    experimental.set_memory_growth(three[0], True)
    threading.set_intra_op_parallelism_threads(0)
    with pytest.raises(ValueError, match="Setting memory limit on CPU"):
        config.set_logical_device_configuration(cpu, [Part(1)])


def test_while_nothing_ran_started_devices_may_change(three, cpu):
    assert len(logical()) == 3
    config.set_visible_devices(three[:1], "GPU")
    config.set_logical_device_configuration(cpu, [Part(), Part()])
    assert logical("CPU") == ["/device:CPU:0", "/device:CPU:1"]
    assert logical() == ["/device:GPU:0"]


def test_details(three, cpu):
    assert experimental.get_device_details(cpu) == {}
    assert experimental.get_device_details(three[0]) == {
        "device_name": "Tesla K40c",
        "compute_capability": (3, 5),
    }
    with pytest.raises(ValueError) as caught:
        experimental.get_device_details("x")
    assert str(caught.value) == "device must be a tf.config.PhysicalDevice, but got: x"
    with pytest.raises(ValueError) as caught:
        experimental.get_device_details(ABSENT)
    assert str(caught.value) == (
        "The PhysicalDevice must be one obtained from calling `tf.config.list_physical_devices`, "
        f"but got: {ABSENT}"
    )


def test_details_of_a_card_without_compute_capability():
    with inventory.simulate("MI300X"):
        [card] = config.list_physical_devices("GPU")
        assert experimental.get_device_details(card) == {"device_name": "AMD Instinct MI300X"}


def test_soft_placement_is_off_until_asked_for():
    assert config.get_soft_device_placement() is False
    assert inventory.settings().soft_placement is None
    inventory.mark_used()
    config.set_soft_device_placement(3)
    assert config.get_soft_device_placement() is True
    config.set_soft_device_placement(False)
    assert inventory.settings().soft_placement is False


def test_placement_log_may_change_at_any_time():
    inventory.mark_used()
    assert get_log_device_placement() is False
    set_log_device_placement(1)
    assert get_log_device_placement() is True


def test_policies():
    assert experimental.get_device_policy() == "silent"
    for policy in ("silent", "silent_for_int32", "warn", "explicit"):
        experimental.set_device_policy(policy)
        assert experimental.get_device_policy() == policy
    experimental.set_device_policy(None)
    assert experimental.get_device_policy() == "silent"
    with pytest.raises(ValueError) as caught:
        experimental.set_device_policy("bad")
    assert first_line(caught) == (
        "Invalid argument `device_policy`: 'bad'. Please refer to "
        "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy "
        "for valid `device_policy` arguments."
    )


def test_threads():
    assert threading.get_intra_op_parallelism_threads() == 0
    threading.set_inter_op_parallelism_threads(3)
    assert threading.get_inter_op_parallelism_threads() == 3


def test_memory_of_all_gpus_at_once(three):
    assert gpu.get_per_process_memory_fraction() == 0.0
    assert config.gpu.get_per_process_memory_growth() is False
    gpu.set_per_process_memory_fraction(0.4)
    config.gpu.set_per_process_memory_growth()
    assert config.gpu.get_per_process_memory_fraction() == 0.4
    assert experimental.get_memory_growth(three[0]) is True
    for device in inventory.inventory().of_kind("GPU"):
        assert device.memory_limit_bytes == int((2 << 30) * 0.4)
        assert device.grows


def test_older_spellings_are_the_same_functions():
    assert experimental.set_virtual_device_configuration is config.set_logical_device_configuration
    assert experimental.get_virtual_device_configuration is config.get_logical_device_configuration
    assert experimental.VirtualDeviceConfiguration is Part
    assert experimental.list_physical_devices is config.list_physical_devices
    assert repr(Part(1)) == (
        "LogicalDeviceConfiguration(memory_limit=1, experimental_priority=None, "
        "experimental_device_ordinal=None)"
    )
