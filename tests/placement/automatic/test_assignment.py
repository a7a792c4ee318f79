"""Tasks in, devices out: limits, groups, duration, reasons."""

from __future__ import annotations

import dataclasses
import itertools
import random

import pytest

from placewise.placement.automatic.assignment import assign
from placewise.placement.automatic.memory import overflow, peaks
from placewise.placement.automatic.problem import Problem
from placewise.placement.automatic.tasks import DeviceLimit, Link, Task
from placewise.placement.automatic.timing import step_seconds

MIB = 1 << 20


def link(_source: str, _target: str) -> Link:
    return Link(1e-5, 1e10)


def cards(count: int, limit_bytes: int) -> list[DeviceLimit]:
    host = DeviceLimit("CPU:0", "CPU", None, is_choice=False)
    return [host, *(DeviceLimit(f"GPU:{n}", "GPU", limit_bytes) for n in range(count))]


def layers(depth: int, branches: int = 1, variable: int = 2 * MIB, seconds: float = 1e-4):
    """A training step of dense layers in branches that meet in one loss."""
    tasks = [Task("x", {"CPU": 0.0}, (MIB,), device="CPU:0")]

    def add(name, inputs, outputs, duration=seconds, **facts):
        tasks.append(Task(name, {"GPU": duration, "CPU": 20 * duration}, outputs, inputs, **facts))
        return len(tasks) - 1

    forward, ends = [], []
    for branch in range(branches):
        value = (0, 0)
        for layer in range(depth):
            name = f"{branch}_{layer}"
            held = {"resident_bytes": 3 * variable, "group": name, "is_state": True}
            weights = add(f"w{name}", (), (variable,), 0.0, **held)
            product = add(f"m{name}", (value, (weights, 0)), (MIB,))
            forward.append((branch, name, weights, value, product))
            value = (product, 0)
        ends.append(value)
    loss = add("loss", tuple(ends), (MIB,))
    gradient = dict.fromkeys(range(branches), (loss, 0))
    for branch, name, weights, value, product in reversed(forward):
        dw = add(f"dw{name}", (gradient[branch], value), (variable,), partner=product)
        dx = add(f"dx{name}", (gradient[branch], (weights, 0)), (MIB,), partner=product)
        add(f"up{name}", ((dw, 0),), (), seconds / 5, group=name)
        gradient[branch] = (dx, 0)
    return tasks


def test_what_fits_on_one_card_and_is_quick_there_stays_together():
    result = assign(layers(4), cards(4, 500 * MIB), lambda *_: Link(1e-4, 1e9))
    assert set(result.devices[1:]) == {"GPU:0"}
    assert result.reasons[1] == (
        "GPU:0: everything fits on GPU:0, and more cards would not be quicker"
    )
    assert result.reasons[0] == ""  # the host had no choice


def test_no_card_exceeds_its_limit():
    result = assign(layers(10), cards(4, 32 * MIB), link)
    assert result.fits
    assert max(result.peak_bytes[f"GPU:{n}"] for n in range(4)) <= 32 * MIB
    assert sum(result.peak_bytes[f"GPU:{n}"] for n in range(4)) >= 60 * MIB


def test_a_reason_says_what_the_first_card_would_exceed_and_what_copies_cost():
    result = assign(layers(10), cards(4, 32 * MIB), link)
    moved = {reason for reason in result.reasons if reason.startswith("GPU:1")}
    assert any("would exceed its limit by" in reason for reason in moved)
    assert any("of copies" in reason for reason in moved)


def test_groups_share_a_device_and_fixed_tasks_keep_theirs():
    tasks = layers(10)
    tasks[2] = Task(
        tasks[2].name, tasks[2].seconds, tasks[2].outputs, tasks[2].inputs, device="GPU:3"
    )
    result = assign(tasks, cards(4, 40 * MIB), link)
    assert result.devices[2] == "GPU:3"
    of_group: dict[object, set[str]] = {}
    for task, device in zip(tasks, result.devices, strict=True):
        if task.group is not None:
            of_group.setdefault(task.group, set()).add(device)
    assert all(len(devices) == 1 for devices in of_group.values())


def test_branches_run_beside_each_other():
    tasks = layers(10, branches=4)
    result = assign(tasks, cards(8, 64 * MIB), link)
    assert result.fits
    assert result.filled_seconds is not None
    assert result.seconds < 0.9 * result.filled_seconds
    # Four branches that wait for nobody would take a quarter.
    assert result.seconds < 0.31 * sum(task.seconds.get("GPU", 0.0) for task in tasks)


def test_another_clock_makes_the_final_choice_and_is_the_one_that_is_reported():
    tasks, machine = layers(10), cards(4, 32 * MIB)
    own = assign(tasks, machine, link)
    # It likes only cards that are filled in order.
    filled = own.in_order[0].devices
    result = assign(tasks, machine, link, clock=lambda devices: 1.0 if devices == filled else 2.0)
    assert result.devices == filled and result.devices != own.devices
    assert (result.seconds, result.filled_seconds) == (1.0, 1.0)
    assert result.method == "filled in order"


def test_a_placement_that_the_clock_refuses_is_taken_only_if_there_is_no_other():
    tasks, machine = layers(10), cards(4, 32 * MIB)
    own = assign(tasks, machine, link)
    refused = own.devices
    result = assign(tasks, machine, link, clock=lambda devices: None if devices == refused else 1.0)
    assert result.is_served and result.devices != refused
    assert not assign(tasks, machine, link, clock=lambda _: None).is_served


def test_the_same_tasks_give_the_same_assignment():
    tasks = layers(6, branches=3)
    assert assign(tasks, cards(4, 48 * MIB), link) == assign(tasks, cards(4, 48 * MIB), link)


def test_too_large_a_model_exceeds_the_limits_least_and_says_so():
    result = assign(layers(10), cards(2, 16 * MIB), link)
    assert not result.fits


def test_what_only_the_host_can_run_has_no_choice():
    tasks = [Task("a", {"CPU": 1.0}, (8,), device="CPU:0")]
    assert assign(tasks, cards(2, MIB), link).devices == ("CPU:0",)


def test_groups_that_contradict_each_other_are_an_error():
    tasks = [
        Task("a", {"GPU": 1.0}, group="g", device="GPU:0"),
        Task("b", {"GPU": 1.0}, group="g", device="GPU:1"),
    ]
    with pytest.raises(ValueError, match="group 'g' must run on different devices"):
        assign(tasks, cards(2, MIB), link)


def test_tasks_out_of_order_are_an_error():
    tasks = [Task("a", {"GPU": 1.0}, (8,), ((1, 0),)), Task("b", {"GPU": 1.0}, (8,))]
    with pytest.raises(ValueError, match="'a' reads from a task that comes after it"):
        assign(tasks, cards(2, MIB), link)


def random_tasks(seed: int) -> list[Task]:
    numbers = random.Random(seed)
    tasks: list[Task] = []
    for number in range(numbers.randint(5, 8)):
        sources = [n for n in range(number) if tasks[n].outputs and numbers.random() < 0.4]
        tasks.append(
            Task(
                f"t{number}",
                {"GPU": numbers.choice([1e-4, 3e-4, 1e-3])},
                (numbers.randint(1, 4) * MIB,),
                tuple((source, 0) for source in sources),
                resident_bytes=(held := numbers.choice([0, 0, 2, 5, 7]) * MIB),
                is_state=held > 0,
            )
        )
    return tasks


@pytest.mark.parametrize("seed", range(24))
def test_finds_a_placement_wherever_trying_all_of_them_finds_one(seed: int):
    tasks = random_tasks(seed)
    devices = [DeviceLimit(f"GPU:{n}", "GPU", 14 * MIB) for n in range(3)]
    problem = Problem(tasks, devices, link)
    best = None
    for placed in itertools.product(range(3), repeat=len(tasks)):
        if placed[0] == 0 and not overflow(problem, peaks(problem, list(placed))):
            seconds = step_seconds(problem, list(placed))
            best = seconds if best is None else min(best, seconds)
    result = assign(tasks, devices, link)
    assert result.fits == (best is not None)
    if best is not None:
        # One card is kept unless several are quicker by a tenth.
        assert result.seconds <= 1.12 * best


@pytest.mark.parametrize("seed", range(24, 44))
def test_is_never_slower_than_cards_filled_in_order(seed: int):
    tasks = random_tasks(seed)
    result = assign(tasks, [DeviceLimit(f"GPU:{n}", "GPU", 14 * MIB) for n in range(3)], link)
    if result.filled_seconds is not None:
        assert result.fits
        assert result.seconds <= result.filled_seconds


def test_products_and_gradients_go_to_variables_that_are_placed_already():
    tasks, home = [], {}
    for task in layers(6, variable=40 * MIB):
        name = task.name.lstrip("wup") if task.group else None
        home.setdefault(name, f"GPU:{len(home) % 3}")
        fixed = task.device or (home[name] if task.group else None)
        tasks.append(dataclasses.replace(task, device=fixed, group=None))
    result = assign(tasks, cards(3, 500 * MIB), lambda *_: Link(1e-4, 1e9))
    for task, device in zip(tasks, result.devices, strict=True):
        if task.name.startswith("dw"):  # 40 ms to copy, and a tenth of one to compute
            assert device == home[task.name.removeprefix("dw")], task.name
