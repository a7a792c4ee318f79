"""The rules answer in order of force, for eager ops and graphs alike."""

import re
from pathlib import Path

import pytest

import placewise
from placewise.core import dtypes
from placewise.devices.inventory import inventory, simulate
from placewise.placement.rules import RULES, Question, decide, parsed

SOURCES = Path(placewise.__file__).parent
BOTH, CPU = ("GPU", "CPU"), ("CPU",)
FLOATS = frozenset({dtypes.float32})


def question(request: str = "", kinds: tuple[str, ...] = BOTH, **facts: object) -> Question:
    devices = tuple(sorted(inventory().devices, key=lambda device: device.is_host))
    spec = parsed(request)
    assert spec is not None
    return Question("MatMul", kinds, FLOATS, devices, request=spec, asked=request, **facts)


def answered(asked: Question) -> tuple[str, str, bool]:
    answer = decide(asked)
    assert answer is not None
    return answer.rule.name, answer.devices[0].local_name, answer.rule.falls_back


@pytest.mark.parametrize(
    ("request_", "facts", "expected"),
    [
        ("", {}, ("free_on_accelerator", "/device:GPU:0", False)),
        ("", {"kinds": CPU}, ("free_without_kernel", "/device:CPU:0", False)),
        (
            "",
            {"kinds": ("CPU", "GPU"), "ranks_kinds": True},
            ("free_cpu_first", "/device:CPU:0", False),
        ),
        ("/device:GPU:1", {}, ("as_requested", "/device:GPU:1", False)),
        (
            "/device:GPU:1",
            {"kinds": CPU, "falls_back_without_kernel": True},
            ("without_kernel", "/device:CPU:0", True),
        ),
        ("/device:GPU:7", {"soft": True}, ("softly", "/device:GPU:0", True)),
        (
            "/device:GPU:7",
            {"soft": True, "resource": parsed("/device:GPU:7")},
            ("softly_with_variable", "/device:GPU:0", True),
        ),
    ],
)
def test_the_first_rule_that_names_a_device_answers(
    request_: str, facts: dict[str, object], expected: tuple[str, str, bool]
) -> None:
    simulate("2xK40c")
    assert answered(question(request_, **facts)) == expected


def test_state_comes_before_every_request() -> None:
    simulate("2xK40c")
    home = inventory().cpu
    asked = question("/device:GPU:1", home=home, owner="v", is_graph=True)
    answer = decide(asked)
    assert answer is not None
    assert (answer.devices, answer.reasons) == ([home], ("with v",))


def test_without_an_accelerator_ops_run_on_the_cpu() -> None:
    simulate(0)
    assert answered(question())[0] == "free_without_accelerator"


def test_a_dtype_that_torch_lacks_on_the_device_leads_to_the_cpu() -> None:
    simulate("1xK40c")
    gpu = inventory().default
    gpu.unsupported_types = frozenset({"float32"})
    assert answered(question())[:2] == ("free_without_arithmetic", "/device:CPU:0")
    assert answered(question("/device:GPU:0")) == ("without_arithmetic", "/device:CPU:0", True)


@pytest.mark.parametrize("soft", [False, True])
def test_no_rule_answers_for_a_task_that_is_not_there(soft: bool) -> None:
    assert decide(question("/job:elsewhere/device:CPU:0", soft=soft)) is None


def test_every_rule_has_reasons_for_both_and_says_what_it_does() -> None:
    assert all(rule.eager and rule.graph and rule.devices_for.__doc__ for rule in RULES)


def test_nobody_outside_of_devices_compares_the_kind_of_a_device() -> None:
    comparing = [
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(r"""\bkind (==|!=) ['"](CPU|GPU)['"]""", path.read_text())
    ]
    assert [name for name in comparing if not name.startswith("devices/")] == []
