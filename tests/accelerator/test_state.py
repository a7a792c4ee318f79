"""Variables in the memory of a device: every op that changes them does so there."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.core import dtypes
from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_all
from tests.accelerator.residents import on_card

load_all()

UPDATES = sorted(name for name in REGISTRY if name.startswith("ResourceApply"))
ROW_UPDATES = sorted(name for name in REGISTRY if name.startswith("ResourceSparseApply"))
NUMBERS = {"lr": 0.3, "alpha": 0.2, "momentum": 0.9, "l1": 0.01, "l2": 0.02, "lr_power": -0.5}


def variable(values: Any, device: str) -> Any:
    with tf.device(device):
        return tf.Variable(values)


def update(name: str, device: str, indices: Any = None) -> list[Any]:
    """Return variable and slots after an update op, given by its declaration, on a device."""
    import test_accelerator

    op, random = REGISTRY[name], np.random.RandomState(3)
    inputs: list[Any] = []
    variables = []
    for arg in op.inputs:
        if arg.dtype is dtypes.resource:
            variables.append(variable(random.uniform(0.5, 1.0, (4, 3)).astype("f"), device))
            inputs.append(variables[-1].handle)
        elif arg.name in ("grad", "delta"):
            count = 4 if indices is None else len(indices)
            inputs.append(random.uniform(-1.0, 1.0, (count, 3)).astype("f"))
        elif arg.name == "indices":
            inputs.append(np.asarray(indices))
        else:
            kind = np.int64 if arg.dtype is dtypes.int64 else np.float32
            inputs.append(np.asarray(NUMBERS.get(arg.name, 3 if kind is np.int64 else 0.5), kind))
    with tf.device(device):
        given = [tf.constant(each) if isinstance(each, np.ndarray) else each for each in inputs]
        if "GPU" in device:
            given = [on_card(each) for each in given]
        with test_accelerator.counted(stacks=True) as counted:
            op.bind(*given)
        assert "CPU" in device or not counted.events, counted.events[0]
    return variables


def check_equal(name: str, indices: Any = None) -> None:
    expected = update(name, "CPU:0", indices)
    found = update(name, "GPU:0", indices)
    for mine, theirs in zip(expected, found, strict=True):
        assert theirs._handle._value.value.device.type == "accel"
        np.testing.assert_allclose(theirs.numpy(), mine.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", UPDATES)
def test_an_update_gives_what_the_cpu_gives_and_stays_there(
    accelerator: ModuleType, name: str
) -> None:
    check_equal(name)


@pytest.mark.parametrize("name", ROW_UPDATES)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_an_update_of_rows_gives_what_the_cpu_gives_and_stays_there(
    accelerator: ModuleType, name: str, kind: Any
) -> None:
    check_equal(name, np.asarray([2, 0], kind))


@pytest.mark.parametrize("name", ROW_UPDATES)
def test_rows_out_of_range_are_not_updated(accelerator: ModuleType, name: str) -> None:
    for variables in (
        update(name, "GPU:0", [9, 1, -1]),
        update(name, "GPU:0", [4, 7, -2]),
    ):
        before = np.random.RandomState(3)
        for place, each in enumerate(variables):
            untouched = before.uniform(0.5, 1.0, (4, 3)).astype("f")
            for row in (0, 2, 3):
                np.testing.assert_array_equal(each.numpy()[row], untouched[row], str(place))


def test_a_row_named_twice_is_updated_by_the_sum_of_its_gradients(
    accelerator: ModuleType,
) -> None:
    var, accum = variable([[1.0], [2.0]], "GPU:0"), variable([[0.0], [0.0]], "GPU:0")
    tf.raw_ops.ResourceSparseApplyMomentum(
        var=var.handle,
        accum=accum.handle,
        lr=1.0,
        grad=[[1.0], [5.0], [2.0]],
        indices=[1, 0, 1],
        momentum=0.5,
    )
    assert accum.numpy().tolist() == [[5.0], [3.0]]
    assert var.numpy().tolist() == [[-4.0], [-1.0]]


SCATTERS = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")


@pytest.mark.parametrize("how", SCATTERS)
@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_rows_are_changed_as_on_the_cpu_and_those_out_of_range_dropped(
    accelerator: ModuleType, how: str, kind: Any
) -> None:
    import test_accelerator

    start = np.asarray([[8, 9], [10, 12], [14, 15]], kind)
    rows = np.asarray([[2, 3], [4, 5], [3, 2]], kind)
    scatter = getattr(tf.raw_ops, f"ResourceScatter{how}")
    on_cpu = variable(start, "CPU:0")
    scatter(resource=on_cpu.handle, indices=[2, 0, 2], updates=rows)
    on_gpu = variable(start, "GPU:0")
    with tf.device("GPU:0"):
        # The bad ones stand among the good ones, and bring what must not arrive.
        spoilt = np.concatenate([rows[:1] * 7, rows[:2], rows[:1] * 5, rows[2:]])
        indices, updates = on_card(tf.constant([3, 2, 0, -1, 2])), on_card(tf.constant(spoilt))
        with test_accelerator.counted(stacks=True) as counted:
            scatter(resource=on_gpu.handle, indices=indices, updates=updates)
    assert not counted.events, counted.events[0]
    np.testing.assert_allclose(on_gpu.numpy(), on_cpu.numpy(), rtol=1e-6)


@pytest.mark.parametrize("how", ["Add", "Sub", "Min", "Max", "Update"])
def test_slices_are_changed_as_on_the_cpu_and_those_out_of_range_dropped(
    accelerator: ModuleType, how: str
) -> None:
    import test_accelerator

    start = np.arange(6, dtype=np.float32).reshape(3, 2)
    scatter = getattr(tf.raw_ops, f"ResourceScatterNd{how}")
    on_cpu, on_gpu = variable(start, "CPU:0"), variable(start, "GPU:0")
    scatter(ref=on_cpu.handle, indices=[[2, 1], [0, 0]], updates=[2.5, 9.0])
    with tf.device("GPU:0"):
        indices = on_card(tf.constant([[2, 2], [2, 1], [-1, 0], [0, 0]]))
        updates = tf.constant([70.0, 2.5, -70.0, 9.0])
        with test_accelerator.counted(stacks=True) as counted:
            scatter(ref=on_gpu.handle, indices=indices, updates=updates)
    assert not counted.events, counted.events[0]
    np.testing.assert_array_equal(on_gpu.numpy(), on_cpu.numpy())


def test_a_variable_gathers_zeros_for_rows_out_of_range(accelerator: ModuleType) -> None:
    import test_accelerator

    table = variable([[1.0, 2.0], [3.0, 4.0]], "GPU:0")
    with tf.device("GPU:0"):
        ids = on_card(tf.constant([[1, 5], [-1, 0]]))
        with test_accelerator.counted(stacks=True) as counted:
            taken = tf.gather(table, ids)
    assert not counted.events, counted.events[0]
    assert taken.numpy().tolist() == [[[3.0, 4.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]]


def test_rows_are_gathered_batch_by_batch_from_a_variable(accelerator: ModuleType) -> None:
    for device in ("CPU:0", "GPU:0"):
        table = variable([[1.0, 2.0], [3.0, 4.0]], device)
        taken = tf.raw_ops.ResourceGather(
            resource=table.handle, indices=[[1], [0]], dtype=tf.float32, batch_dims=1
        )
        assert taken.numpy().tolist() == [[2.0], [3.0]]


def test_a_part_of_a_variable_is_replaced_there(accelerator: ModuleType) -> None:
    changed = variable(np.zeros((3, 3), np.float32), "GPU:0")
    changed[1:, ::2].assign(tf.ones([2, 2]))
    assert changed._handle._value.value.device.type == "accel"
    assert changed.numpy().tolist() == [[0.0] * 3, [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]


def test_reference_variables_of_a_session_are_updated_there(accelerator: ModuleType) -> None:
    found = {}
    for device in ("CPU:0", "GPU:0"):
        with tf.Graph().as_default(), tf.device(device):
            v1 = tf.compat.v1
            table = v1.get_variable(
                "table", initializer=np.ones((3, 2), np.float32), use_resource=False
            )
            steps = [
                v1.scatter_add(table, [0, 2], [[1.0, 2.0], [3.0, 4.0]]),
                v1.scatter_update(table, [1], [[7.0, 7.0]]),
                v1.scatter_nd_sub(table, [[0, 1]], [0.5]),
                v1.assign_add(table, tf.ones([3, 2])),
                v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(table**2)),
            ]
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for step in steps:
                    session.run(step)
                found[device] = session.run(table)
    np.testing.assert_allclose(found["GPU:0"], found["CPU:0"], rtol=1e-6)
