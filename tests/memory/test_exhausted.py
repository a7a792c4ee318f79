"""What an out-of-memory error says."""

import copy
import pickle

import pytest
import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.devices.inventory import inventory, simulate
from placewise.memory.exhausted import (
    Holder,
    Shortage,
    describe,
    described_as,
    out_of_memory,
    size_text,
    type_name,
)
from placewise.memory.ledgers import account, ledger_of

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
MIB = 1 << 20


def shortage(**facts):
    plain = {
        "device": GPU,
        "allocator": "GPU_0_bfc",
        "shape": (4, 1024, 1024),
        "dtype": "float",
        "asked_bytes": 16 * MIB,
        "limit_bytes": 18 * MIB,
        "in_use_bytes": 8 * MIB,
        "largest_free_bytes": 10 * MIB,
        "holders": (),
        "policy": "nearly all of the card",
    }
    return Shortage(**{**plain, **facts})


def test_the_whole_text():
    holders = (Holder(8 * MIB, 2, "MatMul", (1024, 1024), "float", "train.py:7"),)
    assert describe(shortage(holders=holders)) == (
        "OOM when allocating tensor with shape[4,1024,1024] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
        "  asked: 16.00MiB; limit: 18.00MiB (nearly all of the card); in use: 8.00MiB; largest "
        "free block: 10.00MiB\n"
        "  largest holders:\n"
        "    8.00MiB MatMul [1024,1024] float (2 tensors), made at train.py:7\n"
        "  try: a smaller batch; drop (del) tensors that are no longer needed; a larger limit or "
        "card; placewise.memory.snapshot() lists all holders"
    )


def test_fragmentation_is_said_when_that_is_why():
    text = describe(shortage(in_use_bytes=MIB))
    assert "fragmentation: 17.00MiB are free, but in pieces smaller than 16.00MiB" in text
    assert "make the large tensors first" in text
    assert "fragmentation" not in describe(shortage())


def test_memory_lost_in_blocks_is_fragmentation_too():
    facts = shortage(
        asked_bytes=4 * MIB, in_use_bytes=17 * MIB, largest_free_bytes=0, lost_bytes=8 * MIB
    )
    assert facts.is_fragmented
    text = describe(facts)
    assert "fragmentation: 8.00MiB are lost in blocks larger than what they hold; 1.00MiB" in text
    assert not shortage(in_use_bytes=18 * MIB, lost_bytes=MIB).is_fragmented


def test_a_holder_tells_what_it_uses_of_its_block():
    assert str(Holder(8 * MIB, 1, "MatMul", used_bytes=5 * MIB)) == (
        "5.00MiB MatMul in a block of 8.00MiB"
    )
    assert str(Holder(8 * MIB, 2, "MatMul", used_bytes=5 * MIB)) == (
        "5.00MiB MatMul (2 tensors) in blocks of 8.00MiB"
    )
    assert str(Holder(8 * MIB, 1, "MatMul", used_bytes=8 * MIB)) == "8.00MiB MatMul"


@pytest.mark.parametrize("free", [16 * MIB - 256, 16 * MIB - MIB // 10])
def test_sizes_whose_texts_would_mislead_are_told_to_the_byte(free):
    text = describe(shortage(largest_free_bytes=free))
    assert f"asked: 16.00MiB ({16 * MIB} bytes); limit: 18.00MiB (nearly" in text
    assert f" ({free} bytes)\n" in text
    assert " bytes)" not in describe(shortage())


def test_the_op_is_in_the_first_line():
    first, _, _ = describe(shortage(op="MatMul")).partition("\n")
    assert first.endswith(" by allocator GPU_0_bfc [Op:MatMul] name: ")
    assert described_as("a\nb", "Add") == "a [Op:Add] name: \nb"
    assert described_as("a [Op:Add] name: \nb", "Add", "sum") == "a [Op:Add] name: sum\nb"
    assert described_as("a [Op:Add] name: \nb", "Mul", "sum") == "a [Op:Add] name: \nb"


@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_the_facts_travel_with_the_error(again):
    error = out_of_memory(shortage(holders=(Holder(8 * MIB, 2, "MatMul"),)))
    other = again(error)
    assert type(other) is ResourceExhaustedError
    assert (other.message, other.shortage) == (error.message, error.shortage)


def test_a_tensor_above_the_limit_needs_another_answer():
    assert "this tensor alone is larger than the limit" in describe(shortage(asked_bytes=1 << 40))
    both = describe(shortage(asked_bytes=1 << 40, host_bytes=MIB))
    assert "this tensor alone is larger than the limit" in both and "machine" not in both
    assert "the memory of this machine" in describe(shortage(host_bytes=MIB))


def test_the_error_carries_the_facts_and_the_lines():
    simulate("K40c:20MiB")
    gpu = inventory().default
    held = [torch.ones(MIB), torch.ones(10)]
    for value in held:
        account(value, gpu, "Ones")
    with pytest.raises(ResourceExhaustedError) as caught:
        account(torch.empty(4, 1024, 1024), gpu, "Zeros")
    first, *rest = str(caught.value).splitlines()
    assert first == (
        "OOM when allocating tensor with shape[4,1024,1024] and type float on "
        f"{GPU} by allocator GPU_0_bfc"
    )
    assert any("4.00MiB Ones [1048576] float, made at " in line for line in rest)
    assert "test_exhausted.py:" in caught.value.message
    facts = caught.value.shortage
    assert (facts.asked_bytes, facts.in_use_bytes) == (16 * MIB, 4 * MIB + 256)
    assert facts.limit_bytes == ledger_of(gpu).pool.limit_bytes


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0B"),
        (768, "768B"),
        (1023, "1023B"),
        (1024, "1.0KiB"),
        (262144, "256.0KiB"),
        (MIB - 1, "1024.0KiB"),
        (MIB, "1.00MiB"),
        (3 * MIB // 2, "1.50MiB"),
        (1 << 40, "1.00TiB"),
    ],
)
def test_sizes_as_tensorflow_logs_them(nbytes, text):
    assert size_text(nbytes) == text


def test_types_as_tensorflow_s_runtime_calls_them():
    kinds = torch.float32, torch.float64, torch.float16, torch.int64, torch.bfloat16
    assert [type_name(t) for t in kinds] == ["float", "double", "half", "int64", "bfloat16"]
