"""How much work ops are: operations and bytes, from shapes alone."""

import math

import pytest

from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_everything
from placewise.ops.work import TensorFact, work_of

load_everything()


def fact(*shape: int, dtype: str = "float32") -> TensorFact:
    return TensorFact(shape, dtype)


INT = fact(2, dtype="int32")

# Op, inputs, outputs, attributes, then kind, operations, bytes read and written.
TABLE = [
    ("MatMul", [fact(8, 16), fact(16, 4)], [fact(8, 4)], {}, "matmul", 1024, 768, 128),
    (
        "MatMul",
        [fact(16, 8), fact(16, 4)],
        [fact(8, 4)],
        {"transpose_a": True},
        "matmul",
        1024,
        768,
        128,
    ),
    (
        "BatchMatMulV2",
        [fact(3, 8, 16), fact(3, 16, 4)],
        [fact(3, 8, 4)],
        {},
        "matmul",
        3072,
        2304,
        384,
    ),
    (
        "Einsum",
        [[fact(3, 8, 16), fact(3, 16, 4)]],
        [fact(3, 8, 4)],
        {"equation": "bik,bkj->bij"},
        "matmul",
        3072,
        2304,
        384,
    ),
    (
        "Conv2D",
        [fact(2, 8, 8, 4), fact(3, 3, 4, 16)],
        [fact(2, 8, 8, 16)],
        {"strides": (1, 1, 1, 1)},
        "conv",
        2 * 2 * 64 * 16 * 36,
        2048 + 2304,
        8192,
    ),
    (
        "Conv2DBackpropInput",
        [INT, fact(3, 3, 4, 16), fact(2, 8, 8, 16)],
        [fact(2, 8, 8, 4)],
        {"strides": (1, 1, 1, 1)},
        "conv_gradient",
        2 * 2 * 64 * 16 * 36,
        8 + 2304 + 8192,
        2048,
    ),
    (
        "Conv2DBackpropFilter",
        [fact(2, 8, 8, 4), INT, fact(2, 8, 8, 16)],
        [fact(3, 3, 4, 16)],
        {"strides": (1, 1, 1, 1)},
        "conv_gradient",
        2 * 2 * 64 * 16 * 36,
        2048 + 8 + 8192,
        2304,
    ),
    ("Add", [fact(4, 4), fact(4)], [fact(4, 4)], {}, "elementwise", 16, 80, 64),
    ("Relu", [fact(4, 4)], [fact(4, 4)], {}, "elementwise", 16, 64, 64),
    ("AddN", [[fact(4), fact(4), fact(4)]], [fact(4)], {}, "elementwise", 12, 48, 16),
    ("Sum", [fact(4, 4), INT], [fact(4)], {}, "reduction", 16, 72, 16),
    ("Reshape", [fact(4, 4), INT], [fact(16)], {}, "view", 0, 0, 0),
    ("Identity", [fact(4, 4)], [fact(4, 4)], {}, "view", 0, 0, 0),
    ("Shape", [fact(4, 4)], [INT], {}, "view", 0, 0, 0),
    ("Transpose", [fact(4, 2), INT], [fact(2, 4)], {}, "elementwise", 0, 32, 32),
    ("Slice", [fact(1000), INT, INT], [fact(10)], {}, "elementwise", 0, 40, 40),
    ("GatherV2", [fact(1000, 8), INT, fact()], [fact(2, 8)], {}, "gather", 0, 64 + 8 + 4, 64),
    (
        "ResourceApplyMomentum",
        [fact(100), fact(100), fact(), fact(100), fact()],
        [],
        {},
        "elementwise",
        1200,
        1200,
        800,
    ),
    ("StringLength", [fact(4, dtype="string")], [INT], {}, "host", 4, 64, 8),
]


@pytest.mark.parametrize(
    ("op", "inputs", "outputs", "attrs", "kind", "flops", "read", "wrote"), TABLE
)
def test_work_of_one_call(op, inputs, outputs, attrs, kind, flops, read, wrote):
    work = work_of(REGISTRY[op], inputs, outputs, attrs)
    assert (work.kind, work.flops, work.read_bytes, work.written_bytes) == (
        kind,
        flops,
        read,
        wrote,
    )


def test_a_half_precision_product_computes_in_half_precision():
    half = [fact(8, 8, dtype="float16"), fact(8, 8, dtype="float16")]
    assert work_of(REGISTRY["MatMul"], half, [fact(8, 8, dtype="float16")], {}).dtype == "float16"


def test_the_product_of_a_filter_gradient_sums_over_positions():
    inputs = [fact(2, 8, 8, 4), INT, fact(2, 8, 8, 16)]
    work = work_of(REGISTRY["Conv2DBackpropFilter"], inputs, [fact(3, 3, 4, 16)], {})
    assert work.product == (1, 36, 16, 128)
    assert 2 * math.prod(work.product) == work.flops


def test_only_dense_windows_have_fast_algorithms():
    inputs = [fact(2, 8, 8, 32), fact(3, 3, 32, 16)]
    for strides, window in (((1, 1, 1, 1), (9, 32, 16)), ((1, 2, 2, 1), None)):
        work = work_of(REGISTRY["Conv2D"], inputs, [fact(2, 8, 8, 16)], {"strides": strides})
        assert work.window == window


def test_normalization_reads_its_input_twice_only_in_training():
    norm = REGISTRY["FusedBatchNormV3"]
    inputs = [fact(2, 4, 4, 8), *[fact(8)] * 4]
    outputs = [fact(2, 4, 4, 8), *[fact(8)] * 5]
    trained = work_of(norm, inputs, outputs, {"is_training": True})
    fixed = work_of(norm, inputs, outputs, {"is_training": False})
    assert trained.read_bytes - fixed.read_bytes == inputs[0].nbytes


SHAPES = [(), (0,), (5,), (2, 3, 4), (1, 2, 3, 4, 5)]


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_op_says_its_work_whatever_the_shapes(name):
    op = REGISTRY[name]
    for shape in SHAPES:
        tensor = fact(*shape)
        inputs = [[tensor, tensor] if arg.is_list else tensor for arg in op.inputs]
        work = work_of(op, inputs, [tensor for _ in op.outputs], {})
        assert min(work.flops, work.read_bytes, work.written_bytes) >= 0
