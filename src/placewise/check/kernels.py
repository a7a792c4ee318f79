"""Runs a sample of an op on the CPU and on a GPU, and compares all there is to compare.

Values, dtypes, shapes, the device that results are said to be on and the memory they lie in; for
differentiable ops also the gradients of a weighted sum of the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import placewise as tf
from placewise.check.comparison import difference
from placewise.check.outcome import Outcome, Verdict
from placewise.check.samples.sample import Sample
from placewise.core.dtypes import DType, as_dtype
from placewise.devices.device import Device
from placewise.eager import context
from placewise.eager.dispatch import convert_inputs
from placewise.memory.transfer import is_in
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Op
from placewise.ops.values import ALWAYS_ON_DEVICE, EagerTensor, to_numpy


@dataclass
class _Run:
    """What an op gave on a device: its results, and gradients of those inputs that have one."""

    outputs: list[EagerTensor]
    device: Device
    gradients: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    failure: str = ""  # of the gradient


def check_sample(op: Op, index: int, sample: Sample, cpu: Device, gpu: Device) -> Outcome:
    """Return what came of a sample on a GPU, against what the CPU gives."""

    def outcome(verdict: Verdict, what: str = "", **facts: Any) -> Outcome:
        return Outcome(op.name, index, call_text(op, sample), verdict, what, **facts)

    if sample.error is not None:
        what = _bad_input_fault(op, sample, gpu)
        is_broken = bool(what) and not is_working(gpu)
        return outcome("fails" if what else "same", what, has_broken_the_device=is_broken)
    try:
        expected = _run(op, sample, cpu)
    except Exception as failure:
        return outcome("skipped", f"it fails on the CPU: {said(failure)}")
    try:
        found = _run(op, sample, gpu)
        synchronize(gpu)
    except Exception as failure:
        return outcome("fails", said(failure), has_broken_the_device=not is_working(gpu))
    facts = {"device": found.device.local_name.removeprefix("/device:")}
    if found.failure and not expected.failure:
        what = f"its gradient: {found.failure}"
        return outcome("fails", what, has_broken_the_device=not is_working(gpu), **facts)
    what = next(_faults(op, expected, found), "")
    has_gradient = bool(expected.gradients)
    return outcome("differs" if what else "same", what, has_gradient=has_gradient, **facts)


def _bad_input_fault(op: Op, sample: Sample, gpu: Device) -> str:
    """Return what is wrong with how a GPU takes a call that TensorFlow refuses.

    GPUs do not look at values, so what the CPU refuses need not raise there. If it does, it raises
    an error of TensorFlow, and the GPU works on.
    """
    try:
        with tf.device(gpu.local_name):
            op.bind(*sample.inputs, **sample.attrs)
        synchronize(gpu)
    except (tf.errors.OpError, TypeError, ValueError) as failure:
        return "" if is_working(gpu) else f"bad input breaks the GPU: {said(failure)}"
    except Exception as failure:
        is_expected = type(failure).__name__ == sample.error and is_working(gpu)
        return "" if is_expected else f"{sample.error} expected: {said(failure)}"
    return ""


def _run(op: Op, sample: Sample, device: Device) -> _Run:
    attrs = _seeded(op, sample.attrs)
    with tf.device(device.local_name):
        inputs = convert_inputs(op, sample.inputs, None)
        target = context.decide(op, _types(op, inputs, sample)).device
        watched = _differentiable(op, sample, inputs)
        if not watched:
            return _Run(_flat(op.bind(*inputs, **attrs)), target)
        with tf.GradientTape() as tape:
            tape.watch(list(watched.values()))
            outputs = _flat(op.bind(*inputs, **attrs))
            loss = _weighted_sum(op, outputs)
        run = _Run(outputs, target)
        if loss is not None:
            _add_gradients(run, tape, loss, watched)
        return run


def _seeded(op: Op, attrs: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with a seed, if the op takes one: then every device draws the same."""
    seeds = {"seed": 7, "seed2": 5} if "seed" in op.attr_names else {}
    return {**attrs, **seeds}


def _add_gradients(run: _Run, tape: Any, loss: Any, watched: dict[str, Any]) -> None:
    try:
        gradients = tape.gradient(loss, list(watched.values()))
        for name, gradient in zip(watched, gradients, strict=True):
            if gradient is not None:
                run.gradients[name] = to_numpy(convert_to_tensor(gradient)._value)
    except Exception as failure:
        run.failure = said(failure)


def _types(op: Op, inputs: list[Any], sample: Sample) -> frozenset[DType]:
    """Return the dtypes of a call, by which it is placed."""
    types = {tensor.dtype for tensor in _tensors(inputs)}
    for attr in op.attrs:
        value = sample.attrs.get(attr.name, attr.default)
        if attr.kind == "type" and isinstance(value, (str, DType, type, np.dtype)):
            types.add(as_dtype(value))
    return frozenset(types)


def _tensors(values: Any) -> Iterator[EagerTensor]:
    for value in values:
        if isinstance(value, EagerTensor):
            yield value
        elif isinstance(value, list):
            yield from _tensors(value)


def _flat(result: Any) -> list[EagerTensor]:
    return [] if result is None else list(_tensors([result] if _is_one(result) else result))


def _is_one(result: Any) -> bool:
    return isinstance(result, EagerTensor)


def _differentiable(op: Op, sample: Sample, inputs: list[Any]) -> dict[str, EagerTensor]:
    """Return the inputs whose gradient is to be compared, by name."""
    if op.stateful or not op.differentiable or sample.differentiable is False:
        return {}
    return {
        arg.name: value
        for arg, value in zip(op.inputs, inputs, strict=True)
        if isinstance(value, EagerTensor) and value.dtype.is_floating and value._num_elements()
    }


def _weighted_sum(op: Op, outputs: list[EagerTensor]) -> Any:
    """Return a number that each floating result has a part in; None if there is none."""
    random = np.random.RandomState(1)
    loss: Any = None
    for place, output in enumerate(outputs):
        if not output.dtype.is_floating:
            continue
        weights = random.uniform(0.5, 1.5, output._shape_tuple)
        value = tf.abs(output) if _is_sign_free(op, place) else output
        part = tf.reduce_sum(value * weights.astype(output.dtype.as_numpy_dtype))
        loss = part if loss is None else loss + part
    return loss


def _faults(op: Op, expected: _Run, found: _Run) -> Iterator[str]:
    """Yield what is not as on the CPU, the worst first."""
    if len(expected.outputs) != len(found.outputs):
        yield f"{len(found.outputs)} results instead of {len(expected.outputs)}"
        return
    several = len(found.outputs) > 1
    for place, (mine, theirs) in enumerate(zip(expected.outputs, found.outputs, strict=True)):
        prefix = f"result {place}: " if several else ""
        if what := _result_fault(op, place, mine, theirs) or misplaced(theirs, found.device):
            yield prefix + what
    for name, gradient in expected.gradients.items():
        other = found.gradients.get(name)
        if other is None:
            yield f"gradient of {name}: there is none"
        elif what := difference(gradient, other):
            yield f"gradient of {name}: {what}"


def _result_fault(op: Op, place: int, expected: EagerTensor, found: EagerTensor) -> str:
    if found.dtype is not expected.dtype:
        return f"dtype {found.dtype.name} instead of {expected.dtype.name}"
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    if not expected.dtype.is_numpy_compatible or not op.repeatable:
        return ""
    mine, theirs = to_numpy(expected._value), to_numpy(found._value)
    if _is_sign_free(op, place):
        mine, theirs = np.abs(mine), np.abs(theirs)
    return difference(mine, theirs)


def _is_sign_free(op: Op, place: int) -> bool:
    return bool(op.sign_free) and op.outputs[place].name in op.sign_free


def misplaced(tensor: EagerTensor, device: Device) -> str:
    """Return in what way a result of an op that ran on a device does not lie there, if so."""
    if tensor._device is not device:
        return f"wrong device: it is on {tensor.device}, the op was placed on {device.name}"
    value = tensor._value
    if not isinstance(value, torch.Tensor):
        return ""
    may_be_elsewhere = value.dtype not in ALWAYS_ON_DEVICE and value.device.type == "cpu"
    if may_be_elsewhere or is_in(value, device.torch_device):
        return ""
    return f"wrong device: it is in the memory of {value.device}, not of {device.torch_device}"


def synchronize(device: Device) -> None:
    """Wait for a GPU, so that an error of a kernel shows at the op it belongs to."""
    if device.has_own_memory:
        torch.get_device_module(device.torch_device.partition(":")[0]).synchronize()


def is_working(device: Device) -> bool:
    """Return whether a GPU still computes: after a failed assert in a kernel, it never does."""
    if not device.has_own_memory:
        return True
    try:
        synchronize(device)
        return bool(torch.ones(2, device=device.torch_device).sum().cpu() == 2)
    except Exception:
        return False


def said(failure: BaseException) -> str:
    """Return an error in one line."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return f"{type(failure).__name__}: {' '.join(lines)}"[:500]


def call_text(op: Op, sample: Sample) -> str:
    """Return a call as a person reads it: `Cumsum(float32[2,3], 1; reverse=True)`."""
    inputs = ", ".join(_value_text(value) for value in sample.inputs)
    attrs = ", ".join(
        f"{name}={getattr(value, 'name', value)}" for name, value in sample.attrs.items()
    )
    return f"{op.name}({inputs}{'; ' if attrs else ''}{attrs})"


def _value_text(value: Any) -> str:
    if isinstance(value, (bool, int, float, str)):
        return repr(value)
    try:
        array = np.asarray(value)
    except ValueError:  # a list of arrays that differ in shape
        return f"[{', '.join(map(_value_text, value))}]"
    kind = "string" if array.dtype.kind in "OUS" else str(array.dtype)
    return kind + (f"[{','.join(map(str, array.shape))}]" if array.ndim else "")
