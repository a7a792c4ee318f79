"""Device names as programs write them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placewise.devices.handles import LogicalDevice, PhysicalDevice
from placewise.devices.names import (
    Spec,
    canonical,
    merge_eager,
    merge_graph,
    parse,
    to_full_name,
)

from .record import answer

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())

words = st.text(st.characters(exclude_characters="/:", exclude_categories=["Cs"]), max_size=6)
numbers = st.none() | st.integers(-9, 2000)
specs = st.builds(
    Spec,
    job=st.none() | words,
    replica=numbers,
    task=numbers,
    kind=st.none() | st.sampled_from(["CPU", "GPU", "TPU", "XLA_GPU", "Cpu"]) | words,
    index=numbers,
).map(lambda spec: spec if spec.kind is not None else Spec(spec.job, spec.replica, spec.task))


@pytest.mark.parametrize("name", GOLDEN["names"])
def test_parsing_and_its_errors_are_tensorflows(name):
    assert answer(lambda: canonical(name)) == GOLDEN["names"][name]


@pytest.mark.parametrize(("scopes", "device"), GOLDEN["graph"])
def test_graph_scopes_merge_as_in_tensorflow(scopes, device):
    assert merge_graph(scopes) == device


@pytest.mark.parametrize(("scopes", "device"), GOLDEN["eager"])
def test_eager_scopes_merge_as_in_tensorflow(scopes, device):
    current = ""
    for scope in scopes:
        current = merge_eager(current, scope)
    assert current == (device or "")


@given(specs)
def test_parse_print_parse_is_the_identity(spec):
    printed = spec.to_string()
    once = parse(printed)
    assert parse(once.to_string()) == once
    assert once.to_string() == parse(once.to_string()).to_string()


@given(st.text())
def test_any_text_parses_or_is_a_value_error(text):
    try:
        spec = parse(text)
    except ValueError:
        return
    assert parse(spec.to_string()) == spec


@given(specs, specs, specs)
def test_merging_is_associative(a, b, c):
    assert a.merged_with(b).merged_with(c) == a.merged_with(b.merged_with(c))


@given(specs)
def test_the_empty_spec_changes_nothing(spec):
    assert Spec().merged_with(spec) == spec == spec.merged_with(Spec())


def test_a_device_function_replaces_what_is_inside_and_is_kept_as_returned():
    to_cpu = lambda device: "/cpu:0"  # noqa: E731
    assert merge_graph([to_cpu]) == "/cpu:0"
    assert merge_graph([to_cpu, "/gpu:3"]) == "/cpu:0"
    assert merge_graph(["/gpu:3", to_cpu]) == "/device:CPU:0"
    assert merge_graph(["", to_cpu]) == merge_graph(["/", to_cpu]) == "/cpu:0"
    assert merge_graph(["/job:x", lambda device: ""]) == "/job:x"
    assert merge_graph([lambda device: device + "/task:1", "/gpu:1"]) == "/device:GPU:1/task:1"
    assert merge_graph([lambda device: b"/cpu:0"]) == "/cpu:0"


def test_a_device_function_is_asked_through_call():
    asked = []

    def call(function, device):
        asked.append((function, device))
        return "/job:q"

    assert merge_graph([len, "/gpu:1"], call) == "/job:q"
    assert asked == [(len, "/device:GPU:1")]


def test_a_device_function_must_return_a_string():
    with pytest.raises(TypeError, match="Expected binary or unicode string, got None"):
        merge_graph([lambda device: None])


def test_what_is_no_name_says_so():
    with pytest.raises(ValueError, match=r"Expecting a string device name. Got <class 'int'>\(3\)"):
        merge_eager("", 3)
    with pytest.raises(ValueError, match="Expecting a string device name"):
        merge_eager("", PhysicalDevice("/physical_device:CPU:0", "CPU"))
    with pytest.raises(AttributeError, match="'int' object has no attribute 'split'"):
        merge_graph([3])


def test_logical_devices_and_specs_are_names():
    from placewise.devices.device_spec import DeviceSpecV2

    gpu = "/job:localhost/replica:0/task:0/device:GPU:1"
    assert merge_eager("", LogicalDevice("/device:GPU:1", "GPU")) == gpu
    assert merge_eager("", DeviceSpecV2(device_type="GPU", device_index=1)) == gpu
    assert merge_graph([DeviceSpecV2(job="a"), LogicalDevice("/device:GPU:1", "GPU")]) == (
        "/job:a/device:GPU:1"
    )


def test_full_names_are_completed_from_this_process():
    assert to_full_name("gpu:2") == "/job:localhost/replica:0/task:0/device:GPU:2"
    assert to_full_name("/job:ps/task:4") == "/job:ps/replica:0/task:4/device:CPU:0"
