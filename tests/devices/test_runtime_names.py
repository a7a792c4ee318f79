"""Device names as the runtime reads them, and how the placer combines them."""

import pytest
from hypothesis import given

from placewise.core.errors import InvalidArgumentError
from placewise.devices.names import Spec
from placewise.devices.runtime_names import (
    complete,
    is_compatible,
    matches,
    merge_requests,
    override,
    parse_full_or_local,
    parse_local,
    parse_runtime,
)

from .test_names import specs

GPU = Spec(kind="GPU", index=0)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("", Spec()),
        ("/", Spec()),
        ("/cpu:0", Spec(kind="CPU", index=0)),
        ("/GPU:*", Spec(kind="GPU")),
        ("/device:GPU", Spec(kind="GPU")),
        ("/device:*", Spec()),
        ("/device:*:0", Spec(index=0)),
        ("/device:gpu:1", Spec(kind="gpu", index=1)),
        ("/job:*/replica:*/task:*", Spec()),
        ("/task:1/job:w_1", Spec(job="w_1", task=1)),
        ("/cpu:0/gpu:1", Spec(kind="GPU", index=1)),
        ("/task:1/task:2", Spec(task=2)),
        ("/device:XLA_GPU:3", Spec(kind="XLA_GPU", index=3)),
        *(
            (text, None)
            for text in (
                "GPU:0",
                "cpu:0",
                "//cpu:0",
                "/cpu:0/",
                "/cpu",
                "/gpu:",
                "/Cpu:0",
                "/gpu:-1",
                "/gpu: 1",
                "/gpu:+1",
                "/tpu:0",
                "/job:",
                "/job:1w",
                "/job:a-b",
                "/foo:1",
                "/gpu:1x",
                "/task:",
                "/device:GPU:1:2",
                "/gpu:0\n",
            )
        ),
    ],
)
def test_the_runtime_reads_strictly(text, spec):
    assert parse_runtime(text) == spec


def test_local_names_need_kind_and_index():
    assert parse_local("GPU:0") == GPU
    assert parse_local("GPU") is parse_local("GPU:") is parse_local("GPU:CPU") is None
    assert parse_full_or_local("/gpu:0") == parse_full_or_local("GPU:0") == GPU


def test_a_pattern_matches_when_its_fields_are_equal():
    full = parse_runtime("/job:localhost/replica:0/task:0/device:GPU:0")
    assert matches(Spec(), full)
    assert matches(GPU, full)
    assert not matches(Spec(kind="GPU", index=1), full)
    assert not matches(full, GPU)


@given(specs, specs)
def test_compatible_is_symmetric_and_follows_from_matching(a, b):
    assert is_compatible(a, b) == is_compatible(b, a)
    if matches(a, b):
        assert is_compatible(a, b)


def test_requests_merge_hard_and_soft():
    one, other = Spec(job="a", kind="GPU", index=0), Spec(task=1, kind="GPU", index=1)
    assert merge_requests(one, Spec(task=1), soft=False) == Spec("a", None, 1, "GPU", 0)
    assert merge_requests(one, other, soft=True) == Spec("a", None, 1, "GPU", None)
    assert merge_requests(one, Spec(kind="CPU", index=0), soft=True) == Spec("a")
    assert override(one, other) == Spec("a", None, 1, "GPU", 1)
    with pytest.raises(
        InvalidArgumentError,
        match=r"Cannot merge devices with incompatible ids: '/job:a/task:1/device:GPU:0' and "
        r"'/task:1/device:GPU:1'",
    ):
        merge_requests(one, other, soft=False)


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [
        (Spec(job="a"), Spec(job="b"), "jobs"),
        (Spec(replica=0), Spec(replica=1), "replicas"),
        (Spec(task=0), Spec(task=1), "tasks"),
    ],
)
def test_places_never_merge_even_softly(a, b, word):
    for merge in (lambda: merge_requests(a, b, soft=True), lambda: override(a, b)):
        with pytest.raises(InvalidArgumentError, match=f"incompatible {word}: '{a}' and '{b}'"):
            merge()


def test_completing_fills_open_fields_from_a_full_name():
    base = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert complete("/gpu:1", base) == "/job:localhost/replica:0/task:0/device:GPU:1"
    assert complete("GPU:1", base) == complete("/gpu:1", base)
    for name, against, said in (
        ("gpu", base, "Could not parse gpu into a device specification."),
        ("/gpu:1", "x", "Could not parse basename: x into a device specification."),
        ("/gpu:1", "/cpu:0", "Basename: /cpu:0 should be fully specified."),
    ):
        with pytest.raises(InvalidArgumentError, match=said):
            complete(name, against)
