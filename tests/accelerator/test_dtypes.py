"""Dtypes that torch has no kernels for on a kind of GPU: such ops run on the CPU, and say so."""

from types import ModuleType

import numpy as np
import pytest

import placewise
import placewise as tf
from placewise.devices.device import missing_types
from placewise.eager.observe import PlacementWarning

WIDE = np.array([1, 2**63], np.uint64)


def test_each_kind_lacks_what_torch_lacks_there() -> None:
    assert missing_types("cpu") == frozenset()
    assert missing_types("cuda:1") == {"uint16", "uint32", "uint64"}
    assert missing_types("mps") >= {"float64", "complex64", "complex128"}


def test_an_op_of_a_dtype_that_the_device_lacks_runs_on_the_cpu_with_a_warning(
    accelerator: ModuleType,
) -> None:
    with tf.device("CPU:0"):
        wide = tf.constant(WIDE)
    told = r"BitwiseXor does not run on GPU:1.*torch has no kernels for uint64 on accel:1"
    with tf.device("GPU:1"), pytest.warns(PlacementWarning, match=told):
        found = tf.bitwise.bitwise_xor(wide, wide)
    assert found.device.endswith("CPU:0")
    assert found.numpy().tolist() == [0, 0]


def test_without_a_request_it_runs_on_the_cpu_and_the_reason_is_known(
    accelerator: ModuleType,
) -> None:
    with placewise.record() as log:
        tf.bitwise.invert(tf.constant(WIDE))
    (entry,) = [entry for entry in log if entry.op == "Invert"]
    assert entry.device.endswith("CPU:0")
    assert "torch has no kernels for uint64" in entry.reason


def test_strict_refuses_it(accelerator: ModuleType) -> None:
    refused = pytest.raises(tf.errors.InvalidArgumentError, match="no kernels for uint64")
    with placewise.strict(), tf.device("GPU:0"), refused:
        tf.bitwise.invert(tf.constant(WIDE))


def test_a_session_runs_it_on_the_cpu_though_a_gpu_was_asked_for(
    accelerator: ModuleType, graph_mode: None
) -> None:
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.device("/gpu:0"):
        values = v1.placeholder(tf.uint64, [2])
        inverted = tf.bitwise.invert(values)
        with v1.Session() as session:
            assert session.run(inverted, {values: WIDE}).tolist() == [2**64 - 2, 2**63 - 1]
