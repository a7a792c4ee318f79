"""Seeing memory and giving it back; the questions of tf.config."""

import json

import pytest
import torch

import placewise.memory
from placewise.devices import configuration
from placewise.devices.inventory import inventory, simulate
from placewise.memory.ledgers import account, ledger_of, lives
from placewise.memory.queries import get_memory_info, get_memory_usage, reset_memory_stats

MIB = 1 << 20
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def made(count, op="Ones"):
    gpu = inventory().default
    value = torch.ones(count, device=gpu.torch_device)
    account(value, gpu, op)
    return value


def test_a_snapshot_says_who_holds_what_from_where():
    simulate("K40c")
    large, small = made(MIB, "MatMul"), made(10, "Add")
    found = placewise.memory.snapshot()["GPU:0"]
    assert (found.device, found.bytes_in_use) == (GPU, 4 * MIB + 256)
    first, second = found.held
    assert (first.op, first.shape, first.dtype, first.nbytes) == (
        "MatMul",
        (MIB,),
        "float",
        4 * MIB,
    )
    assert first.file == __file__ and first.line > 0
    assert (second.op, second.nbytes, second.block_bytes, second.file) == ("Add", 40, 256, None)
    del large, small
    assert placewise.memory.snapshot()["GPU:0"].held == ()


def test_a_snapshot_is_data():
    simulate("K40c")
    value = made(MIB)
    text = placewise.memory.snapshot().to_json(indent=1)
    assert json.loads(text)["devices"][0]["held"][0]["nbytes"] == value.nbytes
    assert "4.00MiB Ones [1048576] float, made at " in str(placewise.memory.snapshot())
    with pytest.raises(KeyError):
        placewise.memory.snapshot()["GPU:7"]


def test_recording_keeps_the_line_of_small_tensors():
    simulate("K40c")
    with placewise.memory.record():
        inside = made(10)
    outside = made(10)
    ledger = ledger_of(inventory().default)
    assert ledger.allocation_of(inside).origin.file == __file__
    assert ledger.allocation_of(outside).origin is None


def test_a_recording_inside_another_does_not_end_it():
    simulate("K40c")
    with placewise.memory.record():
        with placewise.memory.record():
            pass
        still = made(10)
    after = made(10)
    ledger = ledger_of(inventory().default)
    assert ledger.allocation_of(still).origin.file == __file__
    assert ledger.allocation_of(after).origin is None


@pytest.mark.parametrize("name", ["GPU:1", "/gpu:1", "gpu:1", "/device:GPU:1", f"{GPU[:-1]}1"])
def test_a_snapshot_knows_devices_by_any_name(name):
    simulate("11xK40c")
    values = [torch.ones(10), torch.ones(10)]
    for value, device in zip(values, inventory().of_kind("GPU")[:2], strict=True):
        account(value, device)
    assert placewise.memory.snapshot()[name].device == f"{GPU[:-1]}1"
    del value, values


@pytest.mark.parametrize("name", ["", "0", "GPU", "GPU:10", "GPU:7", "CPU:0", "nonsense", 0, None])
def test_a_snapshot_says_what_it_has_when_it_has_no_such_device(name):
    simulate("11xK40c")
    value = made(10)
    with pytest.raises(KeyError, match=r"names no GPU whose memory is in use \(in use: GPU:0\)"):
        placewise.memory.snapshot()[name]
    del value


def test_alike_holders_are_one_line():
    simulate("K40c")
    held = [made(10, "Add") for _ in range(5)]
    (holder,) = placewise.memory.snapshot()["GPU:0"].holders
    assert str(holder) == "1.2KiB Add (5 tensors)"
    del held


def test_releasing_gives_back_free_regions_of_a_growing_pool():
    simulate("K40c")
    configuration.set_per_process_memory_growth(True)
    first = made(MIB // 4)
    second = made(8 * MIB)
    del second
    released = placewise.memory.release_memory()
    assert (released.before_bytes, released.after_bytes) == (34 * MIB, 2 * MIB)
    assert ledger_of(inventory().default).settle().bytes_in_use == first.nbytes
    del first
    assert placewise.memory.release_memory().after_bytes == 0


def test_releasing_keeps_what_is_held_of_a_fixed_pool():
    simulate("K40c")
    value = made(10)
    released = placewise.memory.release_memory()
    assert released.before_bytes == released.after_bytes > 0
    del value
    assert placewise.memory.release_memory().after_bytes == 0
    assert str(placewise.memory.snapshot()) == "no memory of a GPU is in use"


def test_lives():
    simulate("K40c")
    assert not lives(inventory().default)
    value = made(10)
    assert lives(inventory().default)
    del value
    assert not lives(inventory().default)


@pytest.mark.parametrize("name", ["GPU:0", "/GPU:0", "/gpu:0", "/device:GPU:0", GPU])
def test_memory_info_by_any_name(name):
    simulate("K40c")
    assert get_memory_info(name) == {"current": 0, "peak": 0}
    value, other = made(100), made(1000)
    del other
    assert get_memory_info(name) == {"current": 512, "peak": 512 + 4096}
    assert get_memory_usage(name) == 512
    reset_memory_stats(name)
    assert get_memory_info(name) == {"current": 512, "peak": 512}
    del value


PARSE = "Failed parsing device name: '{}'. Note a valid device string should at least contain"


@pytest.mark.parametrize("ask", [get_memory_info, get_memory_usage, reset_memory_stats])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("GPU", PARSE),
        ("GPU:", PARSE),
        ("GPU:CPU", PARSE),
        ("nonexistent", PARSE),
        ("CPU:*", PARSE),
        (" CPU:0", PARSE),
        ("CPU:-1", PARSE),
        ("GPU:9", "No matching devices found for '{}'"),
        ("gpu:0", "No matching devices found for '{}'"),
        ("/job:other/device:CPU:0", "No matching devices found for '{}'"),
        (
            "/GPU:*",
            f"Multiple devices match the provided string '{{}}': '{GPU}' and '{GPU[:-1]}1'.",
        ),
    ],
)
def test_bad_names_are_refused_in_tensorflow_s_words(ask, name, said):
    simulate("2xK40c")
    with pytest.raises(ValueError) as caught:
        ask(name)
    assert str(caught.value).startswith(said.format(name))


def test_a_cpu_has_no_figures():
    simulate("K40c")
    with pytest.raises(ValueError, match=r"^Allocator stats not available for device 'CPU:0'"):
        get_memory_info("CPU:0")
    with pytest.raises(ValueError, match=r"^Cannot reset memory stats for device '/cpu:0'"):
        reset_memory_stats("/cpu:0")
    with pytest.raises(ValueError, match=r"^Allocator stats not available for device 'CPU:0'"):
        get_memory_info(b"CPU:0")
    assert get_memory_info(b"GPU:0") == {"current": 0, "peak": 0}
    with pytest.raises(TypeError):
        get_memory_info(3)
