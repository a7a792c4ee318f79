"""A sample on a GPU against the CPU: what counts as a fault, with kernels that have one."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.check.kernels import call_text, check_sample
from placewise.check.samples import load_samples
from placewise.check.samples.sample import Sample
from placewise.devices.inventory import inventory
from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_all

load_all()
ONE = Sample((np.float32([1, 2]),))


@pytest.fixture
def on_gpu():
    """Return a function that checks a sample of an op, maybe with another kernel for GPUs."""
    undo = []

    def check(name, sample=ONE, kernel=None):
        op = REGISTRY[name]
        if kernel is not None:
            space = op.bind.space
            undo.append((op, space, dict(op.kernels), space["differs"]))
            op.kernels["GPU"], space["differs"] = kernel, True
        found = inventory()
        return check_sample(op, 0, sample, found.cpu, found.of_kind("GPU")[0])

    with tf.simulate("1"):
        yield check
    for op, space, kernels, differs in undo:
        op.kernels = kernels
        space["differs"] = differs


def test_the_same_values_and_gradients_are_the_same(on_gpu):
    outcome = on_gpu("Neg")
    assert (outcome.verdict, outcome.device, outcome.has_gradient) == ("same", "GPU:0", True)


def test_other_values_differ(on_gpu):
    outcome = on_gpu("Neg", kernel=lambda x: -x + 0.5)
    assert outcome.verdict == "differs"
    assert outcome.what.startswith("largest difference 0.5 at [0]")


def test_another_shape_differs(on_gpu):
    assert on_gpu("Neg", kernel=lambda x: -x[:1]).what == "shape (1,) instead of (2,)"


def test_another_dtype_differs(on_gpu):
    assert on_gpu("Neg", kernel=lambda x: -x.double()).what == "dtype float64 instead of float32"


def test_another_gradient_differs(on_gpu):
    outcome = on_gpu("Sigmoid", kernel=torch.sigmoid)
    assert outcome.verdict == "same"
    outcome = on_gpu("Mul", Sample((np.float32([1, 2]), np.float32([3, 4]))))
    assert outcome.verdict == "same" and outcome.has_gradient
    other = REGISTRY["Mul"].gradient_rule
    calls = []

    def wrong(call, dy):
        calls.append(dy)
        first, second = other(call, dy)
        return (first * 2 if "GPU" in dy.device else first), second

    REGISTRY["Mul"].gradient_rule = wrong
    try:
        outcome = on_gpu("Mul", Sample((np.float32([1, 2]), np.float32([3, 4]))))
    finally:
        REGISTRY["Mul"].gradient_rule = other
    assert calls
    assert outcome.what.startswith("gradient of x: largest difference")


def test_an_error_on_the_gpu_alone_fails(on_gpu):
    def refuse(_):
        raise RuntimeError("no such kernel")

    outcome = on_gpu("Neg", kernel=refuse)
    assert outcome.verdict == "fails" and "no such kernel" in outcome.what


def test_an_error_on_the_cpu_is_no_fault_of_the_gpu(on_gpu):
    outcome = on_gpu("Neg", Sample((np.array(["text"], object),)))
    assert outcome.verdict == "skipped" and outcome.what.startswith("it fails on the CPU: ")


@pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning")
def test_what_gpus_have_no_kernel_for_runs_on_the_cpu(on_gpu):
    outcome = on_gpu("StringLength", Sample((np.array([b"text"], object),)))
    assert (outcome.verdict, outcome.device) == ("same", "CPU:0")


def test_bad_input_must_raise_an_error_of_tensorflow_or_nothing(on_gpu):
    bad = replace(ONE, error="InvalidArgumentError")
    assert on_gpu("Neg", bad).verdict == "same"

    def stumble(_):
        raise AttributeError("odd")

    outcome = on_gpu("Neg", bad, kernel=stumble)
    assert outcome.verdict == "same"  # errors of kernels leave in TensorFlow's classes


def test_random_numbers_are_drawn_with_a_seed(on_gpu):
    assert on_gpu("RandomUniform", Sample(([3],), {"dtype": "float32"})).verdict == "same"


def test_vectors_that_are_unique_up_to_sign_may_differ_by_sign(on_gpu):
    sample = load_samples()["SelfAdjointEigV2"][0]
    kernel = REGISTRY["SelfAdjointEigV2"].kernels[None]

    def flipped(*inputs, **attrs):
        values, vectors = kernel(*inputs, **attrs)
        return values, -vectors

    assert on_gpu("SelfAdjointEigV2", sample, kernel=flipped).verdict == "same"


def test_a_call_is_shown_with_its_dtypes_shapes_and_attributes():
    sample = Sample((np.zeros((2, 3), np.float32), 1), {"exclusive": True})
    assert call_text(REGISTRY["Cumsum"], sample) == "Cumsum(float32[2,3], 1; exclusive=True)"
    ragged = Sample(([np.zeros(2), np.zeros(3)],))
    assert call_text(REGISTRY["AddN"], ragged) == "AddN([float64[2], float64[3]])"
