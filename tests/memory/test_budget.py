"""Which memory policy is in force, who set it and what it overrides."""

import logging

import pytest
import torch

import placewise.memory
from placewise.core.errors import InvalidArgumentError, ResourceExhaustedError
from placewise.devices import configuration
from placewise.devices.budget import OUTSIDE
from placewise.devices.handles import LogicalDeviceConfiguration
from placewise.devices.inventory import devices_for, inventory, simulate
from placewise.devices.policy import Policy, parse_policy
from placewise.memory.ledgers import account, attach, ledger_of, release, statistics_of

MIB, GIB = 1 << 20, 1 << 30


def config(**gpu_options):
    from placewise.messages import ConfigProto, GPUOptions

    return ConfigProto(gpu_options=GPUOptions(**gpu_options))


@pytest.fixture(autouse=True)
def no_policy(monkeypatch):
    monkeypatch.delenv("PLACEWISE_MEMORY", raising=False)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("growth", Policy(grows=True)),
        (" Growth ", Policy(grows=True)),
        ("0.4", Policy(fraction=0.4)),
        ("40%", Policy(fraction=0.4)),
        ("1", Policy(fraction=1.0)),
        (".5", Policy(fraction=0.5)),
        ("4GiB", Policy(limit_bytes=4 * GIB)),
        ("4g", Policy(limit_bytes=4 * GIB)),
        ("1.5 GB", Policy(limit_bytes=3 * GIB // 2)),
        ("512MB", Policy(limit_bytes=512 * MIB)),
        ("1000b", Policy(limit_bytes=1000)),
    ],
)
def test_policies_are_read(text, policy):
    assert parse_policy(text) == policy


@pytest.mark.parametrize(
    "text",
    ["", "all", "0", "0.0", "-1", "1.5", "4", "150%", "0GiB", "nan", "inf", "4XB", "9999999TiB"],
)
def test_what_is_no_policy_is_refused(text):
    with pytest.raises(ValueError, match="is no memory policy"):
        parse_policy(text)


def test_a_number_above_one_asks_for_its_unit():
    with pytest.raises(ValueError, match=r"a size needs its unit \(4GiB, 4MiB\)"):
        parse_policy("4")


def only():
    (budget,) = placewise.memory.options()
    return budget


def test_the_default_is_nearly_all():
    simulate("V100")
    budget = only()
    assert (budget.policy, budget.set_by, budget.grows) == ("all", "default", False)
    assert 0.9 < budget.limit_bytes / budget.total_bytes < 1
    assert budget.fixed_at is None


def test_growth_names_its_line():
    simulate("V100")
    configuration.set_memory_growth(configuration.list_physical_devices("GPU")[0], True)
    budget = only()
    assert (budget.policy, budget.grows) == ("growth", True)
    assert "test_budget.py:" in budget.set_by


def test_a_fraction_truly_bounds():
    simulate("V100")
    configuration.set_per_process_memory_fraction(0.25)
    budget = only()
    assert (budget.policy, budget.limit_bytes) == ("fraction", 4 * GIB)
    assert "test_budget.py:" in budget.set_by
    assert statistics_of(inventory().default).limit_bytes == 4 * GIB


def test_a_limit_of_a_logical_device_overrides_process_growth():
    simulate("V100")
    configuration.set_per_process_memory_growth(True)
    gpu = configuration.list_physical_devices("GPU")[0]
    parts = [LogicalDeviceConfiguration(memory_limit=1024)] * 2
    configuration.set_logical_device_configuration(gpu, parts)
    budgets = placewise.memory.options()
    assert [(b.policy, b.limit_bytes, b.grows) for b in budgets] == [("limit", GIB, False)] * 2
    assert budgets[0].overrides[0].startswith("growth=True, set by ")


def test_the_environment_forces_growth(monkeypatch, caplog):
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    simulate("V100")
    configuration.set_per_process_memory_growth(False)
    budget = only()
    assert (budget.policy, budget.grows) == ("growth", True)
    assert budget.set_by == "TF_FORCE_GPU_ALLOW_GROWTH"
    assert budget.overrides[0].startswith("growth=False, set by ")
    assert not caplog.text, "nothing is used yet"
    ledger_of(inventory().default)
    assert (
        "Overriding orig_value setting because the TF_FORCE_GPU_ALLOW_GROWTH environment variable "
        "is set. Original config value was 0."
    ) in caplog.text


@pytest.mark.parametrize(
    ("policy", "limit", "kind"), [("0.5", 8 * GIB, "fraction"), ("4GiB", 4 * GIB, "limit")]
)
def test_the_command_line_bounds_what_the_program_asks_for(monkeypatch, policy, limit, kind):
    monkeypatch.setenv("PLACEWISE_MEMORY", policy)
    simulate("V100")
    configuration.set_per_process_memory_fraction(0.75)
    budget = only()
    assert (budget.limit_bytes, budget.policy, budget.set_by) == (limit, kind, OUTSIDE)
    assert budget.overrides[0].startswith("fraction (12.00GiB), set by ")
    assert statistics_of(inventory().default).limit_bytes == limit


def test_the_command_line_never_gives_more_than_the_program_asks_for(monkeypatch):
    monkeypatch.setenv("PLACEWISE_MEMORY", "0.5")
    simulate("V100")
    configuration.set_per_process_memory_fraction(0.25)
    assert only().limit_bytes == 4 * GIB


def test_devices_list_the_limit_that_is_in_force(monkeypatch):
    from placewise.devices.local_devices import list_local_devices

    monkeypatch.setenv("PLACEWISE_MEMORY", "4GiB")
    simulate("V100")
    (_, gpu) = list_local_devices()
    assert gpu.memory_limit == 4 * GIB
    (_, less) = list_local_devices(config(per_process_gpu_memory_fraction=0.125))
    assert less.memory_limit == 2 * GIB


def test_a_limit_above_the_card_is_bounded_by_the_card():
    simulate("K40c:2GiB")
    configuration.set_logical_device_configuration(
        inventory_gpu(), [LogicalDeviceConfiguration(memory_limit=1 << 20)]
    )
    assert only().limit_bytes == ledger_of(inventory().default).pool.limit_bytes == 2 * GIB


def inventory_gpu():
    (gpu,) = configuration.list_physical_devices("GPU")
    return gpu


def test_growth_from_the_command_line(monkeypatch):
    monkeypatch.setenv("PLACEWISE_MEMORY", "growth")
    simulate("V100")
    value = torch.ones(10)
    account(value, inventory().default, "Ones")
    assert ledger_of(inventory().default).pool.mapped_bytes == 2 * MIB
    assert only().set_by == OUTSIDE


def test_a_bad_policy_in_the_environment_says_so(monkeypatch):
    monkeypatch.setenv("PLACEWISE_MEMORY", "lots")
    simulate("V100")
    with pytest.raises(ValueError, match="PLACEWISE_MEMORY: 'lots' is no memory policy"):
        placewise.memory.options()


def test_a_fraction_above_one_is_refused():
    simulate("V100")
    with pytest.raises(InvalidArgumentError, match=r"must be between 0 and 1, got 1\.5") as caught:
        devices_for(config(per_process_gpu_memory_fraction=1.5))
    assert "unified memory" in caught.value.message
    assert "24.00GiB of a card that has 16.00GiB" in caught.value.message


def test_the_first_session_fixes_the_memory_for_all(caplog):
    simulate("V100")
    (_, first) = devices_for(config(per_process_gpu_memory_fraction=0.25))
    (_, second) = devices_for(config(allow_growth=True))
    value = torch.ones(10, device=first.torch_device)
    account(value, first, "Ones")
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for _ in range(3):
            account(torch.ones(10), second, "Ones")
        (_, plain) = devices_for(None)
        account(torch.ones(10), plain, "Ones")
    assert ledger_of(first) is ledger_of(second) is ledger_of(plain)
    assert len(caplog.records) == 1, "said once, and only to who asked for something"
    assert "The memory of /device:GPU:0 is fixed: 4.00GiB, since" in caplog.text
    budget = only()
    assert (budget.policy, budget.limit_bytes) == ("fraction", 4 * GIB)
    assert "gpu_options of the session at" in budget.set_by
    assert "growing, asked for later at" in budget.overrides[0]
    assert "test_budget.py:" in budget.fixed_at


def test_released_memory_may_be_had_on_other_terms():
    simulate("V100")
    (_, first) = devices_for(config(per_process_gpu_memory_fraction=0.25))
    (_, second) = devices_for(config(allow_growth=True))
    value = torch.ones(10, device=first.torch_device)
    account(value, first, "Ones")
    assert not release(first), "something is held"
    del value
    assert release(first)
    assert statistics_of(second).grows


def test_another_simulated_machine_has_its_own_pools():
    simulate("V100")
    value = torch.ones(10)
    account(value, inventory().default, "Ones")
    old = ledger_of(inventory().default)
    with simulate("V100"):
        assert ledger_of(inventory().default).settle().bytes_in_use == 0
    assert ledger_of(inventory().default) is old


def test_what_a_plan_keeps_finds_the_pool_that_is_open_now():
    simulate("V100")
    devices = inventory().devices
    attach(devices)
    assert devices[0].account is None, "a CPU counts nothing"
    count, gpu = devices[1].account, devices[1]
    value = torch.ones(10)
    count(value, "Ones")
    before = ledger_of(gpu)
    assert before.settle().bytes_in_use == 256
    del value
    assert release(gpu)
    value = torch.ones(10)
    count(value, "Ones")
    assert ledger_of(gpu) is not before
    assert (before.settle().bytes_in_use, ledger_of(gpu).settle().bytes_in_use) == (0, 256)
    attach(devices)
    assert gpu.account is count


def test_parts_of_a_card_have_no_more_together_than_it_has():
    simulate("V100:330MiB")
    parts = [LogicalDeviceConfiguration(memory_limit=200)] * 3
    configuration.set_logical_device_configuration(inventory_gpu(), parts)
    first, second, third = inventory().of_kind("GPU")
    large, small, other = (torch.empty(size * MIB, dtype=torch.uint8) for size in (190, 1, 1))
    account(large, first)
    account(small, second)
    assert ledger_of(second).pool.mapped_bytes == 130 * MIB
    with pytest.raises(ResourceExhaustedError) as caught:
        account(torch.empty(190 * MIB, dtype=torch.uint8), second)
    assert (
        "; of 200.00MiB, as other devices have the rest of the card's 330.00MiB); in use: 1.00MiB"
    ) in caught.value.message
    with pytest.raises(ResourceExhaustedError, match="limit: 0B"):
        account(other, third)
    del large
    assert release(first)
    account(other, third)
    assert ledger_of(third).pool.mapped_bytes == 200 * MIB


def test_parts_of_a_card_that_grow_share_what_is_left(monkeypatch):
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    simulate("V100:64MiB")
    parts = [LogicalDeviceConfiguration(memory_limit=60)] * 2
    configuration.set_logical_device_configuration(inventory_gpu(), parts)
    first, second = inventory().of_kind("GPU")
    value, other = (torch.empty(20 * MIB, dtype=torch.uint8) for _ in range(2))
    account(value, first)
    account(other, second)
    pools = [ledger_of(device).pool for device in (first, second)]
    assert [pool.mapped_bytes for pool in pools] == [32 * MIB, 32 * MIB]
    with pytest.raises(ResourceExhaustedError, match=r"limit: 32\.00MiB"):
        account(torch.empty(20 * MIB, dtype=torch.uint8), first)


def test_a_running_limit_is_what_device_lib_lists():
    from placewise.devices.local_devices import list_local_devices

    simulate("V100")
    configuration.set_logical_device_configuration(
        inventory_gpu(), [LogicalDeviceConfiguration(memory_limit=64)]
    )
    value = torch.ones(10)
    account(value, inventory().default, "Ones")
    assert list_local_devices()[1].memory_limit == 64 * MIB
    del value
