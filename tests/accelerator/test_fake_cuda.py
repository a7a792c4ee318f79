"""Every op on CUDA cards, as far as that can be seen without one: shapes, dtypes and devices.

The ops take torch's own ways for CUDA with tensors that have no data (`fake_cuda`). What torch has
no CUDA kernel for, what mixes memories and what reads a value of a card raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
)

import placewise as tf
from placewise.check.samples.sample import Sample
from placewise.eager import dispatch
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder
from placewise.memory.transfer import is_in
from placewise.ops.declare import REGISTRY, Op
from placewise.ops.values import ALWAYS_ON_DEVICE, EagerTensor, to_numpy
from placewise.session.session import Session
from tests.accelerator.fake_cuda import Cards
from tests.accelerator.residents import resident_inputs, runs_on_card
from tests.accelerator.test_hidden_trips import ALLOWED, ON_GPU
from tests.ops.every_sample import SAMPLES, flat, run

pytestmark = pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning")


def samples_on_cards(name: str) -> Iterator[tuple[Op, Sample, list[Any]]]:
    """Yield the good samples that are placed on a GPU, with inputs in the memory of the first."""
    op = REGISTRY[name]
    for sample in SAMPLES[name]:
        if sample.error is None:
            inputs = resident_inputs(op, sample)
            if runs_on_card(op, inputs, sample.attrs):
                yield op, sample, inputs


def expected(op: Op, sample: Sample) -> list[Any]:
    with tf.device("/CPU:0"):
        return flat(run(op, sample))


def assert_like(outputs: list[Any], wanted: list[Any]) -> None:
    assert [one.dtype for one in outputs] == [one.dtype for one in wanted]
    assert [one.shape for one in outputs] == [one.shape for one in wanted]


def assert_on_first_card(outputs: list[Any]) -> None:
    for output in outputs:
        assert output.device.endswith("/device:GPU:0")
        value = output._value
        if isinstance(value, torch.Tensor) and value.dtype in ALWAYS_ON_DEVICE:
            assert is_in(value, "cuda:0")


def needs_data(failure: BaseException | None) -> bool:
    """Return whether an error comes of a value that is on a card."""
    while failure is not None:
        if isinstance(failure, DataDependentOutputException | DynamicOutputShapeException):
            return True
        failure = failure.__cause__ or failure.__context__
    return False


def test_there_are_four_cards(cuda: Cards) -> None:
    names = [device.name for device in tf.config.list_physical_devices("GPU")]
    assert names == [f"/physical_device:GPU:{index}" for index in range(4)]
    with tf.device("GPU:2"):
        assert str(tf.ones([2])._value.device) == "cuda:2"


def test_values_of_a_card_are_not_there_to_be_read(cuda: Cards) -> None:
    with pytest.raises(DataDependentOutputException):
        tf.ones([2]).numpy()


def test_two_cards_do_not_mix(cuda: Cards) -> None:
    with pytest.raises(RuntimeError, match="cuda:0 and cuda:1"):
        torch.ones(2, device="cuda:0") + torch.ones(2, device="cuda:1")


@pytest.mark.parametrize("name", ON_GPU)
def test_it_runs_at_once(cuda: Cards, name: str) -> None:
    with tf.device("/GPU:0"):
        for op, sample, inputs in samples_on_cards(name):
            try:
                outputs = flat(run(op, Sample(tuple(inputs), sample.attrs)))
            except Exception as failure:
                if name in ALLOWED and needs_data(failure):
                    continue
                raise
            assert_like(outputs, expected(op, sample))
            assert_on_first_card(outputs)


def in_a_function(op: Op, sample: Sample, inputs: list[Any]) -> list[Any]:
    """Return what an op gives inside a tf.function whose arguments are its tensors."""
    structure = [item if _has_tensors(item) else None for item in inputs]

    @tf.function(autograph=False)
    def call(tensors: Any) -> Any:
        filled = [
            item if tensor is None else tensor for item, tensor in zip(inputs, tensors, strict=True)
        ]
        return flat(run(op, Sample(tuple(filled), sample.attrs)))

    return list(call(structure))


def _has_tensors(item: Any) -> bool:
    several = item if type(item) is list else [item]
    return all(isinstance(one, EagerTensor) for one in several)


def has_results_for_functions(op: Op) -> bool:
    return bool(op.outputs) and not op.refs and not op.makes_state


@pytest.mark.parametrize("name", [n for n in ON_GPU if has_results_for_functions(REGISTRY[n])])
def test_it_runs_in_a_function(cuda: Cards, name: str) -> None:
    with tf.device("/GPU:0"):
        for op, sample, inputs in samples_on_cards(name):
            try:
                outputs = in_a_function(op, sample, inputs)
            except Exception as failure:
                if name in ALLOWED and needs_data(failure):
                    continue
                raise
            assert_like(outputs, expected(op, sample))
            assert_on_first_card(outputs)


def in_a_session(op: Op, sample: Sample) -> tuple[list[Any], list[Any]]:
    """Return the fetched tensors of an op in a graph, and the arrays a session gives for them."""
    feeds: dict[Any, Any] = {}

    def fed(item: Any) -> Any:
        if isinstance(item, list):
            return [fed(one) for one in item]
        if not isinstance(item, EagerTensor):
            return item
        made = placeholder(item.dtype, item.shape)
        feeds[made] = to_numpy(item._value)
        return made

    with tf.device("/CPU:0"):
        tensors = dispatch.convert_inputs(op, sample.inputs, None)
    with Graph().as_default(), tf.device("/GPU:0"):
        inputs = tuple(fed(item) for item in tensors)
        fetched = flat(run(op, Sample(inputs, sample.attrs)))
        with Session() as session:
            return fetched, session.run(fetched, feeds)


def can_be_fetched(op: Op) -> bool:
    special = (tf.resource, tf.variant)
    return has_results_for_functions(op) and all(arg.dtype not in special for arg in op.outputs)


@pytest.mark.parametrize("name", [n for n in ON_GPU if can_be_fetched(REGISTRY[n])])
def test_it_runs_in_a_session(cuda: Cards, name: str) -> None:
    cuda.may_read = True  # what is fetched
    for op, sample, _ in samples_on_cards(name):
        cuda.reads.clear()
        try:
            fetched, arrays = in_a_session(op, sample)
        except Exception as failure:
            # Where it reads what is on the card it gets zeros, which may be refused.
            if name in ALLOWED and (needs_data(failure) or cuda.reads):
                continue
            raise
        wanted = expected(op, sample)
        assert [tensor.dtype for tensor in fetched] == [one.dtype for one in wanted]
        assert [array.shape for array in arrays] == [tuple(one.shape) for one in wanted]
        if name not in ALLOWED:
            assert len(cuda.reads) <= len(fetched), "it reads more than what is fetched"
