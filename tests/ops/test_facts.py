"""What ops are said to do, they do: each claim is checked on the op's samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.eager import dispatch
from placewise.ops.declare import REGISTRY, REQUIRED, WIDE_UNSIGNED, Op, define
from placewise.ops.registry import load_everything
from placewise.ops.reservation import _most_elements as most_elements
from placewise.ops.reservation import may_outgrow
from placewise.ops.values import TORCH, EagerTensor, dtype_of, from_numpy, to_numpy
from placewise.planning.scalars.expressions import NAMES
from tests.ops.every_sample import SAMPLES

load_everything()


def named(claim: Any) -> list[str]:
    """Return the ops that make a claim."""
    return sorted(name for name, op in REGISTRY.items() if claim(op))


class Call(NamedTuple):
    """A call of a kernel: contents by position, attributes by name."""

    op: Op
    values: list[Any]
    attrs: dict[str, Any]

    def run(self) -> list[Any]:
        is_wide = any(is_tensor(v) and dtype_of(v) in WIDE_UNSIGNED for v in flat(self.values))
        result = self.op.kernel_on(_Cpu, is_wide)(*self.values, **self.attrs)
        return flat(result if isinstance(result, (list, tuple)) else [result])


class _Cpu:
    kind = "CPU"


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def is_reserved(op: Op) -> bool:
    """Return True if results on a device that counts are asked for before they are made."""
    on_device = any(arg.name not in op.host for arg in op.outputs)
    return "GPU" in op.devices and not op.stateful and on_device and may_outgrow(op)


def is_text(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def same(one: Any, other: Any) -> bool:
    one, other = to_numpy(one), to_numpy(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return bool(np.all((one == other) | ((one != one) & (other != other))))


def nearly_same(one: Any, other: Any) -> bool:
    """Return True if only the last bit differs: vector registers round otherwise than the rest."""
    one, other = to_numpy(one), to_numpy(other)
    if one.dtype.kind not in "fc":
        return same(one, other)
    accuracy = 4 * np.finfo(one.dtype).eps
    return one.dtype == other.dtype and np.allclose(one, other, accuracy, accuracy, equal_nan=True)


def flat(values: Any) -> list[Any]:
    return [one for item in values for one in (item if isinstance(item, (list, tuple)) else [item])]


def content(value: Any, on_host: bool) -> Any:
    tensor = tf.convert_to_tensor(value)
    held = tensor._value if isinstance(tensor, EagerTensor) else from_numpy(value)
    return to_numpy(held) if on_host else held


def calls(name: str) -> Iterator[Call]:
    """Yield the good sample calls of an op, as its kernel gets them."""
    op = REGISTRY[name]
    for sample in SAMPLES.get(name, ()):
        if sample.error is not None:
            continue
        attrs = {attr.name: attr.default for attr in op.attrs if attr.default is not REQUIRED}
        attrs.update(sample.attrs)
        dispatch._normalise(op, attrs)
        values = []
        for arg, value in zip(op.inputs, sample.inputs, strict=False):
            several = list(value) if arg.is_list else [value]
            held = [content(one, arg.name in op.host) for one in several]
            values.append(held if arg.is_list else held[0])
        if all(isinstance(value, (np.ndarray, torch.Tensor)) for value in flat(values)):
            yield Call(op, values, attrs)


def variants(call: Call) -> Iterator[Call]:
    """Yield a call as it is, with lists of one, in every dtype of `T`, and on transposed memory."""
    yield call
    op, values, attrs = call
    if any(isinstance(value, list) for value in values):
        yield Call(op, [v[:1] if isinstance(v, list) else v for v in values], attrs)
    yield Call(op, [_transposed(value) for value in values], attrs)
    places = [i for i, arg in enumerate(op.inputs) if arg.type_attr == "T" and not arg.is_list]
    if not places or any(not is_tensor(values[i]) for i in places):
        return
    for dtype in sorted(op.types.get("T", ()), key=lambda dtype: dtype.name):
        if dtype in TORCH:
            cast = list(values)
            for index in places:
                cast[index] = _cast(values[index], TORCH[dtype])
            yield Call(op, cast, attrs)


def _cast(value: Any, dtype: Any) -> Any:
    if value.is_complex() and not dtype.is_complex:
        value = value.real
    if value.is_floating_point() and not dtype.is_floating_point and not dtype.is_complex:
        value = value.abs().clamp(max=100)
    return value.to(dtype)


def _transposed(value: Any) -> Any:
    if not is_tensor(value) or value.dim() < 2:
        return value
    return value.mT.contiguous().mT


def results(name: str) -> Iterator[tuple[Call, list[Any]]]:
    """Yield calls of an op, in all variants that it takes, with what they return."""
    for call in calls(name):
        for variant in variants(call):
            try:
                yield variant, variant.run()
            except Exception:
                if variant is call:
                    raise


def addresses(values: Any) -> set[int]:
    return {
        value.untyped_storage().data_ptr()
        for value in flat(values)
        if is_tensor(value) and value.numel()
    }


@pytest.mark.parametrize("name", named(lambda op: op.makes_memory))
def test_a_new_result_shares_no_memory_with_the_inputs(name: str) -> None:
    tried = 0
    for call, made in results(name):
        for value in made:
            if is_tensor(value) and value.numel():
                tried += 1
                assert value.untyped_storage().data_ptr() not in addresses(call.values)
                assert value._base is None or call.op.result != "whole"
    assert tried, "no sample shows it"


@pytest.mark.parametrize("name", named(lambda op: op.result == "reshaped"))
def test_a_reshaped_result_holds_the_elements_of_the_first_input_in_order(name: str) -> None:
    for call, made in results(name):
        assert same(made[0].reshape(-1), call.values[0].reshape(-1))


@pytest.mark.parametrize("name", named(lambda op: op.result == "input"))
def test_a_result_that_is_the_input_equals_it(name: str) -> None:
    for call, made in results(name):
        for value, given in zip(made, flat(call.values), strict=False):
            assert same(value, given)


@pytest.mark.parametrize("name", named(lambda op: op.keeps_shape))
def test_a_result_that_keeps_the_shape_has_that_of_the_first_input(name: str) -> None:
    for call, made in results(name):
        assert made[0].shape == call.values[0].shape


@pytest.mark.parametrize("name", named(lambda op: op.in_place))
def test_what_is_written_in_place_is_what_the_kernel_returns(name: str) -> None:
    tried = 0
    for call, made in results(name):
        op, expected = call.op, made[0]
        for index, over in enumerate(op.in_place):
            target = call.values[index]
            if not is_tensor(target):
                continue
            fits = target.dtype is expected.dtype and target.shape == expected.shape
            if over is None or not fits or not target.is_floating_point():
                continue
            values = [value.clone() for value in call.values]
            written = over(*values, **call.attrs)
            tried += 1
            torch.testing.assert_close(written, expected, rtol=0, atol=0, equal_nan=True)
            assert written.data_ptr() == values[index].data_ptr()
    assert tried, "no sample shows it"


@pytest.mark.parametrize(
    "name", named(lambda op: op.elementwise and len(op.inputs) == 1 and not op.inputs[0].is_list)
)
def test_an_elementwise_op_gives_the_same_for_elements_in_another_order(name: str) -> None:
    for call, made in results(name):
        value = call.values[0]
        if not value.ndim or not made[0].ndim:
            continue
        backwards = to_numpy(value)[::-1].copy()
        given = from_numpy(backwards) if is_tensor(value) else backwards
        (flipped,) = Call(call.op, [given], call.attrs).run()
        assert nearly_same(to_numpy(flipped)[::-1], made[0])


@pytest.mark.parametrize("name", named(lambda op: op.static != "unknown" and op.inputs))
def test_a_static_value_can_be_computed_twice(name: str) -> None:
    op = REGISTRY[name]
    assert not op.stateful
    for call, made in results(name):
        for first, second in zip(made, call.run(), strict=True):
            assert same(first, second)


@pytest.mark.parametrize(
    "name",
    named(lambda op: op.name in SAMPLES and is_reserved(op)),
)
def test_no_result_is_larger_than_what_is_reserved_for(name: str) -> None:
    op = REGISTRY[name]
    for call in calls(name):
        tensors = [value for value in flat(call.values) if is_tensor(value)]
        if not all(value.numel() for value in tensors) or any(map(is_text, flat(call.values))):
            continue
        if call.attrs.get("equation", "").endswith("ii"):  # a diagonal: counted once it is made
            continue
        most = most_elements(op, call.values)
        assert all(value.numel() <= most for value in call.run() if is_tensor(value))


NUMBERS = (-3.5, -2.0, -1.0, 0.0, 0.1, 1.0, 2.0, 3.0, 7.75)


@pytest.mark.parametrize("name", named(lambda op: op.scalar and op.scalar.expression))
def test_the_python_of_an_op_on_scalars_gives_what_its_kernel_gives(name: str) -> None:
    op = REGISTRY[name]
    several = op.inputs[0].is_list
    expression = op.scalar.expression.format("x, y") if several else op.scalar.expression
    attrs = {attr.name: attr.default for attr in op.attrs}
    for dtype in sorted(op.scalar.types, key=lambda dtype: dtype.name):
        if op.inputs[0].dtype not in (None, dtype):
            continue
        for x, y in itertools.product(np.array(NUMBERS).astype(dtype.as_numpy_dtype), repeat=2):
            if op.scalar.needs_nonzero_divisor and y == 0:
                continue
            given = [torch.as_tensor(one) for one in (x, y)][: 2 if several else len(op.inputs)]
            with np.errstate(all="ignore"):
                written = eval(expression.format("x", "y"), {**NAMES, "x": x, "y": y})
            expected = op.kernels[None](*([given] if several else given), **attrs)
            if name == "Sqrt":  # torch's may miss the last digit, NumPy's does not
                np.testing.assert_allclose(written, to_numpy(expected), rtol=3e-16)
            else:
                assert same(np.asarray(written), expected), (dtype, x, y, written, expected)


@pytest.mark.parametrize("name", named(lambda op: op.effects == "reads"))
def test_what_reads_state_is_given_a_handle(name: str) -> None:
    op = REGISTRY[name]
    assert op.stateful
    assert op.follows_resource or any(arg.name in op.refs for arg in op.inputs)


@pytest.mark.parametrize("name", named(lambda op: op.in_place))
def test_what_can_be_written_in_place_is_new_otherwise(name: str) -> None:
    op = REGISTRY[name]
    assert op.makes_memory
    assert op.keeps_shape or len(op.inputs) == 2


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="result must be one of any, view"):
        define("NotAnOp(x: T) -> y: T", result="mine")


def test_a_misspelt_fact_is_refused() -> None:
    with pytest.raises(TypeError, match="has no option 'reslut'"):
        define("NotAnOp(x: T) -> y: T", reslut="new")
