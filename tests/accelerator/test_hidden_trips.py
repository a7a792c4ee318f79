"""What crosses between memories while an op runs on a device: nothing, but for what is told here.

Each op gets all its tensors in the device's memory. Then it may neither copy to or from the host,
nor have the host wait for the device, once it has run with the same attributes.
"""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import pytest

import placewise as tf
from placewise.check.samples.sample import Sample
from placewise.core import dtypes
from placewise.ops.declare import REGISTRY
from tests.accelerator.residents import as_function, resident_inputs, runs_on_card
from tests.ops.every_sample import SAMPLES, flat, run

# Samples of strings and of wide unsigned integers run on the CPU.
pytestmark = pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning")

# Why an op may cross, and which ones do.
CROSSINGS: dict[str, tuple[str, ...]] = {
    "the size of the result is in the data; TensorFlow waits for it too": (
        "DynamicPartition",
        "DynamicStitch",
        "NonMaxSuppressionV3",
        "NonMaxSuppressionV4",
        "ParallelDynamicStitch",
        "RaggedFillEmptyRows",
        "SegmentMax",
        "SegmentMean",
        "SegmentMin",
        "SegmentProd",
        "SegmentSum",
        "SparseFillEmptyRows",
        "SparseSegmentMean",
        "SparseSegmentMeanGradV2",
        "SparseSegmentSqrtN",
        "SparseSegmentSqrtNGradV2",
        "SparseSegmentSum",
        "SparseSegmentSumGradV2",
        "SparseSlice",
        "SparseSplit",
        "Unique",
        "UniqueV2",
        "UniqueWithCounts",
        "UniqueWithCountsV2",
        "Where",
    ),
    "it raises for data that is wrong, as TensorFlow's GPU kernel does": (
        "Assert",
        "CheckNumerics",
        "CheckNumericsV2",
        "Lu",
        "MatrixInverse",
        "MatrixSolve",
        "SelfAdjointEigV2",
        "SparseToDense",
    ),
    "torch's own kernel waits": ("MatrixExponential", "Svd"),
    "what it brings to the device is a host argument, or an attribute": (
        "CTCLossV2",
        "Const",
        "RaggedTensorToTensor",
    ),
    "it goes on until every element is exact, and has to ask": ("Betainc", "IgammaGradA"),
    "it draws until all numbers are accepted, on the host": ("ParameterizedTruncatedNormal",),
}
ALLOWED = {name: reason for reason, names in CROSSINGS.items() for name in names}
ON_GPU = sorted(name for name in SAMPLES if "GPU" in REGISTRY[name].devices)


def trips(name: str, in_function: bool = False) -> list[str]:
    """Return what crosses between memories when the samples of an op run a second time."""
    import test_accelerator

    op, found = REGISTRY[name], []
    for index, sample in enumerate(SAMPLES[name]):
        if sample.error is not None:
            continue
        with tf.device("GPU:0"):
            inputs = resident_inputs(op, sample)
            if not runs_on_card(op, inputs, sample.attrs):
                continue

            def body(*given: Any, attrs: Any = sample.attrs) -> Any:
                return flat(run(op, Sample(given, attrs)))

            call = as_function(body, inputs) if in_function else partial(body, *inputs)
            call()  # a function is traced, and tables made of attributes are kept from now on
            with test_accelerator.counted(stacks=True) as counted:
                call()
        found += [f"sample {index}: {event}" for event in counted.events]
    return found


@pytest.mark.parametrize("name", [name for name in ON_GPU if name not in ALLOWED])
def test_it_stays_on_the_device(accelerator: ModuleType, name: str) -> None:
    found = trips(name)
    assert not found, "\n".join(found)


IN_FUNCTIONS = [
    name
    for name in ON_GPU
    if name not in ALLOWED
    and REGISTRY[name].outputs
    and not any(arg.dtype in (dtypes.resource, dtypes.variant) for arg in REGISTRY[name].outputs)
]


@pytest.mark.parametrize("name", IN_FUNCTIONS)
def test_it_stays_there_in_a_function(accelerator: ModuleType, name: str) -> None:
    found = trips(name, in_function=True)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_it_leaves_the_device_as_told(accelerator: ModuleType, name: str) -> None:
    assert trips(name), f"{name} stays on the device now; it was allowed since {ALLOWED[name]}"
