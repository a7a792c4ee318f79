"""Whatever an op gives on a simulated GPU counts there: asked of all recorded questions."""

import copy

import pytest
import torch

import placewise as tf
from placewise.core import nest
from placewise.devices.inventory import inventory, simulate
from placewise.memory.ledgers import ledger_of
from placewise.ops.values import HOST_KEPT, EagerTensor
from tests.oracle.table import load_topic, topics
from tests.oracle.values import evaluate


def tensors(value):
    if isinstance(value, tf.Variable):
        value = value.read_value()
    for _, part in nest.children(value) or ():
        yield from tensors(part)
    if isinstance(value, EagerTensor):
        yield value


@pytest.mark.parametrize("topic", topics())
def test_every_result_counts(topic):
    simulate("V100")
    gpu = inventory().default
    ledger = ledger_of(gpu)
    for case in load_topic(topic):
        if case.index or case.should_raise:
            continue  # one question of each name
        if "StatelessRandomGet" in case.code:
            continue  # keys and counters are on the host
        try:
            found = evaluate(tf, case.code)
        except Exception:
            continue  # whether it should is another test's question
        for tensor in tensors(found):
            content = tensor._value
            if (
                tensor._device is gpu
                and tensor.dtype not in HOST_KEPT | {tf.bool}  # that of int32 is on the host
                and isinstance(content, torch.Tensor)
                and content.numel()
            ):
                assert ledger.allocation_of(content) is not None, case.code
                assert content.is_contiguous() or content._base is None, case.code


def test_what_no_op_makes_counts_too():
    simulate("V100")
    ledger = ledger_of(inventory().default)
    x = tf.random.normal([100, 100])
    variable = tf.Variable(x)
    variable[2:4].assign(tf.random.normal([2, 100]))
    held = copy.deepcopy(x), variable.read_value(), x[3:], x[:, 3]
    for made in held:
        assert ledger.allocation_of(made._value) is not None
    assert ledger.settle().bytes_in_use >= 3 * 100 * 100 * 4


def test_a_column_does_not_hold_its_matrix():
    simulate("V100")
    ledger = ledger_of(inventory().default)
    columns = [tf.random.normal([1000, 1000])[:, 0] for _ in range(3)]
    rows = [tf.random.normal([1000, 1000])[5] for _ in range(3)]
    assert ledger.settle().bytes_in_use == 3 * 4096 + 3 * 4_000_000 // 256 * 256
    del columns, rows
