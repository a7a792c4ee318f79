"""Walks the registry on a device with memory of its own: each sample gives what the CPU gives."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.check.samples.sample import Sample
from placewise.core import dtypes
from placewise.eager import dispatch
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder
from placewise.ops.declare import REGISTRY, Op
from placewise.ops.values import EagerTensor, to_numpy
from placewise.session.session import Session
from tests.accelerator.residents import as_function, on_card
from tests.ops.every_sample import GOOD, SAMPLES, flat, run
from tests.ops.test_every_op import differentiable_inputs

# Samples of strings and of wide unsigned integers run on the CPU.
pytestmark = pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning")

ON_GPU = sorted({name for name, _ in GOOD if "GPU" in REGISTRY[name].devices})
PLAIN = [name for name in ON_GPU if not REGISTRY[name].stateful and REGISTRY[name].outputs]
every_op = pytest.mark.parametrize("name", ON_GPU)
every_plain_op = pytest.mark.parametrize("name", PLAIN)


def good_samples(name: str) -> list[Sample]:
    return [sample for sample in SAMPLES[name] if sample.error is None]


def on_cpu(op: Op, sample: Sample) -> tuple[list[Any], list[Any]]:
    """Return the inputs as tensors of the CPU, and what the op gives there."""
    with tf.device("CPU:0"):
        inputs = dispatch.convert_inputs(op, sample.inputs, None)
        return inputs, flat(run(op, Sample(tuple(inputs), sample.attrs)))


def check_same(expected: list[Any], found: list[Any]) -> None:
    assert len(expected) == len(found)
    for mine, theirs in zip(expected, found, strict=True):
        if not isinstance(mine, EagerTensor) or not mine.dtype.is_numpy_compatible:
            continue
        value = theirs._value if isinstance(theirs, EagerTensor) else theirs
        wanted = to_numpy(mine._value)
        kind = object if isinstance(value, bytes) else None
        array = to_numpy(value) if isinstance(value, torch.Tensor) else np.asarray(value, kind)
        assert array.dtype == wanted.dtype and array.shape == wanted.shape
        if wanted.dtype.kind in "fcV":
            wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(
                array.astype(wide), wanted.astype(wide), rtol=1e-4, atol=1e-5
            )
        else:
            np.testing.assert_array_equal(array, wanted)


def check_memory(op: Op, found: list[Any]) -> None:
    """Check that numbers are in the memory of the device that they say they are on."""
    for tensor in found:
        value = getattr(tensor, "_value", None)
        if not isinstance(value, torch.Tensor):
            continue
        if "GPU" not in tensor.device:
            assert value.device.type == "cpu"
        elif value.is_floating_point() or value.is_complex():
            assert str(value.device) == "accel:0"


@every_op
def test_it_gives_what_the_cpu_gives(accelerator: ModuleType, name: str) -> None:
    op = REGISTRY[name]
    for sample in good_samples(name):
        inputs, expected = on_cpu(op, sample)
        resident = [on_card(item) for item in inputs]
        with tf.device("GPU:0"):
            for given in (inputs, resident):  # integers in host memory, all on the device
                found = flat(run(op, Sample(tuple(given), sample.attrs)))
                check_memory(op, found)
                if not op.stateful:
                    check_same(expected, found)


@every_plain_op
def test_a_function_gives_the_same(accelerator: ModuleType, name: str) -> None:
    op = REGISTRY[name]
    if any(arg.dtype in (dtypes.resource, dtypes.variant) for arg in op.outputs):
        pytest.skip("what it gives cannot leave the function by itself")
    for sample in good_samples(name):
        inputs, expected = on_cpu(op, sample)

        def body(*given: Any, attrs: Any = sample.attrs) -> Any:
            return flat(run(op, Sample(given, attrs)))

        for given in (inputs, [on_card(item) for item in inputs]):
            with tf.device("GPU:0"):
                found = as_function(body, given)()
            check_memory(op, found)
            check_same(expected, found)


@every_plain_op
def test_a_session_gives_the_same(accelerator: ModuleType, name: str) -> None:
    op = REGISTRY[name]
    if any(arg.dtype in (dtypes.resource, dtypes.variant) for arg in op.outputs):
        pytest.skip("what it gives cannot be fetched")
    for sample in good_samples(name):
        inputs, expected = on_cpu(op, sample)
        feeds: dict[Any, Any] = {}

        def fed(item: Any, feeds: dict[Any, Any] = feeds) -> Any:
            if type(item) is list:
                return [fed(one) for one in item]
            if not isinstance(item, EagerTensor):
                return item
            made = placeholder(item.dtype, [None] * len(item.shape))
            feeds[made] = to_numpy(item._value)
            return made

        with Graph().as_default(), tf.device("GPU:0"):
            found = flat(run(op, Sample(tuple(fed(item) for item in inputs), sample.attrs)))
            config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
            with Session(config=config) as session:
                values = session.run(found, feeds)
        check_same(expected, values)


@every_op
def test_a_full_card_is_never_taken_for_a_wrong_input(accelerator: ModuleType, name: str) -> None:
    op = REGISTRY[name]
    tf.zeros([2])  # placewise sets its own limit when it first uses the card
    for sample in good_samples(name)[:2]:  # an error of memory takes long: what holds is looked up
        resident = [on_card(item) for item in on_cpu(op, sample)[0]]
        accelerator.empty_cache()
        accelerator.set_memory_limit(accelerator.memory_allocated(0), 0)
        try:
            with tf.device("GPU:0"):
                run(op, Sample(tuple(resident), sample.attrs))
        except tf.errors.ResourceExhaustedError:
            pass  # others make nothing in the card's memory
        finally:
            accelerator.set_memory_limit(None, 0)


# Its rule for graphs asks for row splits.
ONLY_BY_TAPE = {"RaggedTensorToTensor"}
SLOPED = [
    name
    for name in PLAIN
    if REGISTRY[name].differentiable
    and any(
        sample.differentiable is not False and differentiable_inputs(REGISTRY[name], sample)
        for sample in good_samples(name)
    )
]


def slopes(op: Op, sample: Sample, inputs: list[Any], device: str) -> list[Any]:
    """Return the gradients of all that an op gives, weighted, in its inputs."""
    which = differentiable_inputs(op, sample)
    with tf.device(device), tf.GradientTape() as tape:
        tape.watch([inputs[place] for place in which])
        loss = weighted(flat(run(op, Sample(tuple(inputs), sample.attrs))))
    if loss is None:
        return []
    found = tape.gradient(loss, [inputs[place] for place in which])
    return [tf.convert_to_tensor(each) for each in found if each is not None]


def weighted(outputs: list[Any]) -> Any:
    parts = [
        tf.reduce_sum(
            output * tf.cast(tf.random.stateless_uniform(tf.shape(output), [1, 2]), output.dtype)
        )
        for output in outputs
        if output.dtype.is_floating
    ]
    return tf.add_n([tf.cast(part, tf.float64) for part in parts]) if parts else None


@pytest.mark.parametrize("name", SLOPED)
def test_its_gradients_are_the_cpus(accelerator: ModuleType, name: str) -> None:
    op = REGISTRY[name]
    tf.config.set_soft_device_placement(True)  # some rules use an op of the CPU alone
    for sample in good_samples(name):
        if sample.differentiable is False or not differentiable_inputs(op, sample):
            continue
        inputs, _ = on_cpu(op, sample)
        expected = slopes(op, sample, inputs, "CPU:0")
        resident = [on_card(item) for item in inputs]
        found = slopes(op, sample, resident, "GPU:0")
        check_memory(op, found)
        check_same(expected, found)

        def body(*given: Any, sample: Sample = sample) -> Any:
            return slopes(op, sample, list(given), "GPU:0")

        if expected and name not in ONLY_BY_TAPE:
            check_same(expected, as_function(body, resident)())
