"""Walks the registry: each op's rules agree with each other, on samples good and bad."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.check.samples.sample import Sample
from placewise.core import dtypes
from placewise.core.shapes import Static, TensorShape
from placewise.eager import dispatch
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder
from placewise.ops.declare import REGISTRY, REQUIRED, Op
from placewise.ops.values import EagerTensor, dtype_of, shape_of, to_numpy
from placewise.session.session import Session
from tests.ops.every_sample import BAD, GOOD, SAMPLES, run
from tests.ops.every_sample import flat as _flat

OP_DEFS = json.loads((Path(__file__).parent / "op_defs.json").read_text())
# Ops of datasets and of replicas stand in packages of their own, with tests of their own.
EVERY_OP = sorted(
    name
    for name, op in REGISTRY.items()
    # What sessions keep tensors with has no other name in TensorFlow.
    if op.kernels[None].__module__.startswith("placewise.ops") and not name.startswith("Placewise")
)
# Ops that act on state the walk cannot make from a table; their own tests cover them.
NEEDS_STATE = {
    name
    for name, op in REGISTRY.items()
    if op.refs or (op.stateful and any(arg.dtype is dtypes.resource for arg in op.inputs))
}
# Lists of tensors are made by other ops; tests/ops/flow/test_tensor_lists.py covers them.
NEEDS_STATE.update(name for name in REGISTRY if name.startswith("TensorList"))
# So are optionals; tests/data covers them.
NEEDS_STATE.update({"OptionalGetValue", "OptionalHasValue"})
# Tensors that a session keeps; tests/session/test_handles.py covers them.
NEEDS_STATE.update({"GetSessionHandleV2", "GetSessionTensor", "DeleteSessionTensor"})
NEEDS_STATE.update({"PlacewiseKeep", "PlacewiseKept", "PlacewiseForget"})
# A placeholder is fed, or it fails: there is no good call of one.
NEEDS_STATE.add("Placeholder")
# The weights come packed into one vector; tests/ops/nn/test_cudnn_rnn.py makes them.
NEEDS_STATE.add("CudnnRNNV3")
# A Python function is named by a token that only its own tests can make.
NEEDS_STATE.update({"PyFunc", "PyFuncStateless", "EagerPyFunc"})


def attributes(op: Op, sample: Sample) -> dict[str, Any]:
    attrs = {attr.name: attr.default for attr in op.attrs if attr.default is not REQUIRED}
    attrs.update(sample.attrs)
    dispatch._normalise(op, attrs)
    return attrs


def statics(op: Op, sample: Sample, known: bool) -> list[Any]:
    """Return what a shape rule sees: everything, or ranks alone."""
    converted = dispatch.convert_inputs(op, sample.inputs, None)

    def static(item: Any, is_host: bool) -> Any:
        if isinstance(item, list):
            return [static(one, is_host) for one in item]
        if isinstance(item, np.ndarray):
            return Static(item.shape, dtypes.as_dtype(item.dtype), item if known else None)
        shape = shape_of(item._value)
        return Static(shape if known else (None,) * len(shape), item.dtype, None)

    return [
        static(item, arg.name in op.host) for item, arg in zip(converted, op.inputs, strict=True)
    ]


def shapes_by_rule(op: Op, sample: Sample, known: bool) -> list[Any]:
    found = op.shape_rule(*statics(op, sample, known), **attributes(op, sample))
    if len(op.outputs) == 1 and not op.outputs[0].is_list:
        return [found]
    if len(op.outputs) == 1 and isinstance(found, list):
        return found
    return list(found)


@pytest.mark.parametrize("name", EVERY_OP)
def test_it_is_declared_as_tensorflow_declares_it(name: str) -> None:
    op, known = REGISTRY[name], OP_DEFS.get(name)
    assert known is not None, f"TensorFlow has no op {name}"
    assert [arg.name for arg in op.inputs] == known["inputs"]
    assert [arg.name for arg in op.outputs] == known["outputs"]
    unknown = set(op.attr_names) - set(known["attrs"])
    assert not unknown, f"attributes TensorFlow does not have: {unknown}"
    # TensorFlow does not call an op stateful that reaches its state through a reference.
    assert op.stateful == known["stateful"] or not op.stateful or op.refs


@pytest.mark.parametrize("name", EVERY_OP)
def test_it_has_a_kernel_a_shape_rule_and_a_text(name: str) -> None:
    op = REGISTRY[name]
    assert op.kernels.get(None) is not None
    assert op.shape_rule is not None or not op.outputs
    assert op.doc.strip()


@pytest.mark.parametrize("name", [n for n in EVERY_OP if n not in NEEDS_STATE])
def test_it_has_a_sample(name: str) -> None:
    assert any(sample.error is None for sample in SAMPLES.get(name, []))


@pytest.mark.parametrize(("name", "index"), GOOD)
def test_its_shape_rule_agrees_with_its_kernel(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    outputs = run(op, sample)
    for known in (True, False):
        told = shapes_by_rule(op, sample, known)
        flat = [one for out in outputs for one in (out if isinstance(out, list) else [out])]
        told_flat = [one for t in told for one in (t if isinstance(t, list) else [t])]
        assert len(told_flat) == len(flat)
        for shape, output in zip(told_flat, flat, strict=True):
            told_shape = TensorShape(shape)
            assert told_shape.is_compatible_with(output.shape), (shape, output.shape, known)


@pytest.mark.parametrize(("name", "index"), GOOD)
def test_its_outputs_have_the_declared_dtypes(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    attrs = attributes(op, sample)
    for arg, output in zip(op.outputs, run(op, sample), strict=False):
        if isinstance(output, EagerTensor):
            wanted = arg.dtype or attrs.get(arg.type_attr)
            if isinstance(wanted, dtypes.DType):
                assert dtype_of(output._value) is wanted


@pytest.mark.parametrize(("name", "index"), GOOD)
def test_it_leaves_its_inputs_alone(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    before = [np.array(x, copy=True) for x in sample.inputs if isinstance(x, np.ndarray)]
    tensors = dispatch.convert_inputs(op, sample.inputs, None)
    contents = [to_numpy(t._value).copy() for t in tensors if _is_plain(t)]
    op.bind(*tensors, **sample.attrs)
    after = [to_numpy(t._value) for t in tensors if _is_plain(t)]
    for old, new in zip(contents, after, strict=True):
        np.testing.assert_array_equal(old, new)
    for old, new in zip(
        before, [x for x in sample.inputs if isinstance(x, np.ndarray)], strict=True
    ):
        np.testing.assert_array_equal(old, new)


def _is_plain(item: Any) -> bool:
    return isinstance(item, EagerTensor) and item.dtype.is_numpy_compatible


@pytest.mark.parametrize(("name", "index"), GOOD)
def test_a_simulated_gpu_gives_the_same(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    if op.stateful:
        pytest.skip("an op with state of its own gives something new each time")
    here = run(op, sample)
    with tf.simulate("2xK40c"):
        there = run(op, sample)
        flat = [one for out in there for one in (out if isinstance(out, list) else [out])]
        expected = "CPU" if op.devices == ("CPU",) else None
        for output in flat:
            if expected is not None:
                assert output.device.endswith("/device:CPU:0")
    for mine, theirs in zip(_flat(here), _flat(there), strict=True):
        if _is_plain(mine):
            np.testing.assert_array_equal(to_numpy(mine._value), to_numpy(theirs._value))


@pytest.mark.parametrize(("name", "index"), GOOD)
def test_a_graph_gives_the_same(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    if op.stateful:
        pytest.skip("an op with state of its own gives something new each time")
    if not op.outputs or any(arg.dtype in (dtypes.resource, dtypes.variant) for arg in op.outputs):
        pytest.skip("what it gives cannot be fetched")
    tensors = dispatch.convert_inputs(op, sample.inputs, None)
    expected = _flat(run(op, Sample(tuple(tensors), sample.attrs)))
    graph = Graph()
    feeds: dict[Any, Any] = {}

    def fed(item: Any) -> Any:
        if isinstance(item, list):
            return [fed(one) for one in item]
        if not isinstance(item, EagerTensor):
            return item
        made = placeholder(item.dtype, [None] * len(item.shape))
        feeds[made] = to_numpy(item._value)
        return made

    with graph.as_default():
        found = _flat(run(op, Sample(tuple(fed(item) for item in tensors), sample.attrs)))
        with Session() as session:
            values = session.run(found, feeds)
    for mine, tensor, theirs in zip(expected, found, values, strict=True):
        assert tensor.dtype is mine.dtype
        assert tensor.shape.is_compatible_with(mine.shape)
        np.testing.assert_array_equal(np.asarray(theirs), to_numpy(mine._value))


@pytest.mark.parametrize(("name", "index"), BAD)
def test_bad_input_gets_tensorflows_error(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    expected = {
        "ValueError": ValueError,
        "TypeError": TypeError,
        "RuntimeError": RuntimeError,
    }.get(sample.error or "") or getattr(tf.errors, sample.error or "")
    # A tensor keeps its dtype, where an array may become the op's default one.
    if op.name in ("Angle", "Conj", "Imag", "Real"):
        sample = Sample(tuple(map(tf.constant, sample.inputs)), sample.attrs)
    with pytest.raises(expected) as raised:
        run(op, sample)
    assert "torch" not in str(raised.value).lower()


def differentiable_inputs(op: Op, sample: Sample) -> list[int]:
    found = []
    for index, (arg, value) in enumerate(zip(op.inputs, sample.inputs, strict=True)):
        if arg.name in op.host or arg.is_list:
            continue
        array = np.asarray(value)
        if array.dtype.kind == "f" and array.dtype.itemsize >= 4 and array.size:
            found.append(index)
    return found


def _differentiable(name: str, index: int) -> bool:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    if op.stateful or not op.differentiable or sample.differentiable is False:
        return False
    return bool(differentiable_inputs(op, sample))


@pytest.mark.parametrize(("name", "index"), [pair for pair in GOOD if _differentiable(*pair)])
def test_its_gradient_agrees_with_finite_differences(name: str, index: int) -> None:
    op, sample = REGISTRY[name], SAMPLES[name][index]
    which = differentiable_inputs(op, sample)
    inputs = [
        np.asarray(value, np.float64) if _is_float(value) else value for value in sample.inputs
    ]
    try:
        # As tensors: an op with a default dtype converts arrays to it.
        held = [tf.constant(v) if _is_float(v) else v for v in inputs]
        run(op, Sample(tuple(held), sample.attrs))
        step, tolerance = 1e-6, 1e-4
    except (tf.errors.InvalidArgumentError, TypeError, ValueError):
        inputs = list(sample.inputs)  # the op takes float32 alone
        step, tolerance = 1e-2, 2e-2
    random = np.random.RandomState(1)
    weights: list[Any] = []

    def total(arrays: list[Any]) -> Any:
        loss = None
        position = 0
        for output in _flat(run(op, Sample(tuple(arrays), sample.attrs))):
            if not output.dtype.is_floating:
                continue
            if position == len(weights):
                weights.append(random.uniform(0.5, 1.5, output.shape.as_list()))
            part = tf.reduce_sum(output * tf.constant(weights[position], output.dtype))
            loss = part if loss is None else loss + tf.cast(part, loss.dtype)
            position += 1
        return loss

    tensors = [tf.constant(v) if i in which else v for i, v in enumerate(inputs)]
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in which])
        loss = total(tensors)
    if loss is None:
        pytest.skip("no floating output")
    gradients = tape.gradient(loss, [tensors[i] for i in which])
    for position, gradient in zip(which, gradients, strict=True):
        if gradient is None:
            continue
        found = np.asarray(tf.convert_to_tensor(gradient), np.float64)
        array = np.asarray(inputs[position])
        for flat in random.choice(array.size, min(array.size, 6), replace=False):
            moved = []
            for sign in (1, -1):
                other = array.copy()
                other.reshape(-1)[flat] += sign * step
                moved.append(float(total([*inputs[:position], other, *inputs[position + 1 :]])))
            numeric = (moved[0] - moved[1]) / (2 * step)
            exact = found.reshape(-1)[flat]
            assert abs(numeric - exact) <= tolerance * max(1.0, abs(exact)), (
                f"input {position} element {flat}: rule {exact}, finite difference {numeric}"
            )


def _is_float(value: Any) -> bool:
    return not isinstance(value, (list, tuple, str, bytes)) and np.asarray(value).dtype.kind == "f"
