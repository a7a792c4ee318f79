"""`tf.DeviceSpec`, immutable and mutable."""

import pytest

from placewise.devices.device_spec import DeviceSpecV1, DeviceSpecV2

from .record import answer
from .test_names import GOLDEN


@pytest.mark.parametrize("spec", GOLDEN["specs"])
def test_device_specs_are_tensorflows(spec):
    space = {"S": DeviceSpecV2, "V": DeviceSpecV1}
    assert answer(lambda: eval(spec, space)) == GOLDEN["specs"][spec]


def test_v2_cannot_be_changed():
    spec = DeviceSpecV2(job="a")
    with pytest.raises(
        AttributeError, match="property 'job' of 'DeviceSpecV2' object has no setter"
    ):
        spec.job = "b"
    with pytest.raises(AttributeError, match="no attribute 'foo'"):
        spec.foo = 1
    assert not hasattr(spec, "merge_from")


def test_v1_fields_are_assigned_with_conversion():
    spec = DeviceSpecV1()
    spec.job, spec.replica, spec.task = 3, "4", 5
    spec.device_type, spec.device_index = "gpu", "1"
    assert spec.to_string() == "/job:3/replica:4/task:5/device:GPU:1"
    assert hash(spec) == hash(spec.to_string())
    spec.job = None
    assert hash(spec) == hash("/replica:4/task:5/device:GPU:1")
    with pytest.raises(ValueError, match="invalid literal for int"):
        spec.replica = "x"
    assert spec.replica == 4


def test_v1_merges_in_place():
    spec = DeviceSpecV1(job="a", device_type="GPU", device_index=1)
    spec.merge_from(DeviceSpecV1.from_string("/task:3/cpu:*"))
    assert spec.to_string() == "/job:a/task:3/device:CPU:1"
    assert spec.parse_from_string("/cpu:0") is spec
    assert spec.to_string() == "/device:CPU:0"


def test_a_name_that_fails_to_parse_leaves_v1_alone():
    spec = DeviceSpecV1(job="a")
    with pytest.raises(ValueError, match="Multiple device types are not allowed"):
        spec.parse_from_string("/cpu:0/gpu:1")
    assert spec.to_string() == "/job:a"


def test_v1_and_v2_differ_from_each_other():
    assert DeviceSpecV1(job="a") == DeviceSpecV1(job="a")
    assert DeviceSpecV1(job="a") != DeviceSpecV2(job="a")
    assert type(DeviceSpecV1(job="a").replace(task=1)) is DeviceSpecV1
